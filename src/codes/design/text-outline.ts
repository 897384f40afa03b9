import { readFileSync } from 'node:fs';
// oxlint-disable-next-line import/default -- its types describe an ES module, but Node loads one of CommonJS
import opentype, { type Font, type PathCommand } from 'opentype.js';
import type { Path, Segment } from './scene.ts';

/** Text as shapes: no font is needed where the picture is shown. */
interface TextOutline {
  /** Starts at the baseline, with a font size of 1 and y pointing down. */
  path: Path;
  width: number;
}

/** Tried in this order for each character. fonts/README.md says where they come from. */
const fonts = ['roboto-bold.ttf', 'droid-sans-fallback.ttf'].map((name) => {
  const file = readFileSync(new URL(`fonts/${name}`, import.meta.url));
  // oxlint-disable-next-line import/no-named-as-default-member -- see above
  return opentype.parse(new Uint8Array(file).buffer);
});

/** The first character that no font has. */
export function findUndrawable(text: string): string | undefined {
  return [...text].find((character) => !fontOf(character));
}

export function outlineText(text: string): TextOutline {
  const path: Path = [];
  let width = 0;
  for (const { font, characters } of runsOf(text)) {
    for (const command of font.getPath(characters, width, 0, 1).commands)
      path.push(toSegment(command, path.at(-1)));
    width += font.getAdvanceWidth(characters, 1);
  }
  return { path, width };
}

function fontOf(character: string): Font | undefined {
  return fonts.find((font) => font.charToGlyphIndex(character) > 0);
}

/** Splits the text where the font changes. */
function runsOf(text: string): { font: Font; characters: string }[] {
  const runs: { font: Font; characters: string }[] = [];
  for (const character of text) {
    const font = fontOf(character);
    if (!font) throw new RangeError('The text has a character that no font has');
    const last = runs.at(-1);
    if (last?.font === font) last.characters += character;
    else runs.push({ font, characters: character });
  }
  return runs;
}

function toSegment(command: PathCommand, before: Segment | undefined): Segment {
  switch (command.type) {
    case 'M':
    case 'L':
      return [command.type, command.x, command.y];
    case 'C':
      return ['C', command.x1, command.y1, command.x2, command.y2, command.x, command.y];
    case 'Q': {
      const { x1, y1, x, y } = command;
      const [fromX = 0, fromY = 0] = (before?.slice(-2) ?? []) as number[];
      const toward = (from: number, control: number) => from + (2 / 3) * (control - from);
      return ['C', toward(fromX, x1), toward(fromY, y1), toward(x, x1), toward(y, y1), x, y];
    }
    case 'Z':
      return ['Z'];
  }
}
