/** UTF-8 bytes that the largest QR code holds: the most that any content can have. */
export const maxContentBytes = 2953;

export interface TextContent {
  kind: 'text';
  text: string;
}

/** For content that cannot be parsed as its type. */
export function asText(content: string): TextContent {
  return { kind: 'text', text: content };
}

/** For values without line breaks, such as a name or a subject. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Normalizes line breaks and removes control characters other than tabs. */
export function manyLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '');
}

/** Removes trailing characters in linear time, unlike `/[,;]+$/`. */
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
