type Measure = (text: string) => number;

/** Breaks the text into lines no wider than that, between words where it can. The last line ends in … if more follows. */
export function wrapText(text: string, width: number, maxLines: number, measure: Measure): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < maxLines) {
    const isLast = lines.length === maxLines - 1;
    const line =
      measure(rest) <= width
        ? rest
        : isLast
          ? shorten(rest, width, measure)
          : firstLine(rest, width, measure);
    lines.push(line.trim());
    rest = isLast ? '' : rest.slice(line.length).trimStart();
  }
  return lines;
}

function firstLine(text: string, width: number, measure: Measure): string {
  const fitting = fitCharacters(text, width, measure);
  const space = text.charAt(fitting.length) === ' ' ? fitting.length : fitting.lastIndexOf(' ');
  return space > 0 ? text.slice(0, space) : fitting;
}

function shorten(text: string, width: number, measure: Measure): string {
  return `${fitCharacters(text, width - measure('…'), measure).trimEnd()}…`;
}

/** At least one character, so that every line makes progress. */
function fitCharacters(text: string, width: number, measure: Measure): string {
  let fitting = '';
  let used = 0;
  for (const character of text) {
    used += measure(character);
    if (used > width && fitting !== '') break;
    fitting += character;
  }
  return fitting;
}
