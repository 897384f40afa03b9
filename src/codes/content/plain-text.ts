import type { TextContent } from './code-content.ts';

/** What is not understood is shown as it was written. */
export function asText(content: string): TextContent {
  return { kind: 'text', text: content };
}

/** For what has no line breaks of its own, such as a name or a subject. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Line breaks as one character each; no other control characters than tabs. */
export function manyLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}

/** Without any of these characters behind it. In linear time, which `/[,;]+$/` is not. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function linesOf(text: string): string[] {
  return text
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
