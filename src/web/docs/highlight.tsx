type Kind = 'string' | 'key' | 'number' | 'word';

interface Token {
  kind: Kind | undefined;
  text: string;
}

const keywords = new Set(
  'await as const curl echo exit export false from if import json_encode new None null open print throw true True False with'.split(
    ' ',
  ),
);

/** JSON, or an example in any of the languages, in colors. Its text stays as it is. */
export function Highlighted({ text }: { text: string }) {
  return (
    <>
      {tokensOf(text).map(({ kind, text: part }, index) =>
        kind ? (
          <span key={index} class={`code-${kind}`}>
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </>
  );
}

/** In one pass: the examples are our own, but some are long. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const add = (kind: Token['kind'], part: string) => {
    const last = tokens.at(-1);
    if (last && last.kind === kind && kind === undefined) last.text += part;
    else tokens.push({ kind, text: part });
  };
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    const part = text.slice(at, end);
    add(kindOf(part, text, at, end), part);
    at = end;
  }
  return tokens;
}

const isQuote = (character: string) => character === '"' || character === "'" || character === '`';
const isWordPart = (character: string) => /[\w$]/.test(character);

function endOfToken(text: string, at: number): number {
  const first = text.charAt(at);
  let end = at + 1;
  if (isQuote(first)) {
    while (end < text.length && text.charAt(end) !== first) end += text.charAt(end) === '\\' ? 2 : 1;
    return Math.min(end + 1, text.length);
  }
  if (isWordPart(first)) while (end < text.length && isWordPart(text.charAt(end))) end += 1;
  else if (first === '-' && at > 0 && text.charAt(at - 1) === ' ')
    while (end < text.length && /[\w-]/.test(text.charAt(end))) end += 1;
  return end;
}

function kindOf(part: string, text: string, at: number, end: number): Token['kind'] {
  const first = part.charAt(0);
  if (isQuote(first)) {
    const after = text.slice(end, end + 4).trimStart();
    return after.startsWith(':') || after.startsWith('=>') ? 'key' : 'string';
  }
  if (first === '-') return part.length > 1 ? 'word' : undefined;
  if (/^\d+$/.test(part)) return 'number';
  return keywords.has(part) && text.charAt(at - 1) !== '.' ? 'word' : undefined;
}
