import { readFileSync } from 'node:fs';
// oxlint-disable-next-line import/default -- its types describe an ES module, but Node loads one of CommonJS
import opentype, { type Font, type PathCommand } from 'opentype.js';
import { findFacesFor, loadFace, unitsPerEm } from '../text/font-family.ts';
import { shapeText } from '../text/shape-text.ts';
import { moved, type Path, type Segment } from './scene.ts';

/** Text as shapes: no font is needed where the picture is shown. */
export interface TextOutline {
  /** Starts at the baseline, with a font size of 1 and y pointing down. */
  path: Path;
  width: number;
  /** Of the text above and below the baseline, which is 0. `top` is negative. */
  top: number;
  bottom: number;
}

/** Tried in this order for each character. fonts/README.md says where they come from. */
const fonts = ['roboto-bold.ttf', 'droid-sans-fallback.ttf'].map((name) => {
  const file = readFileSync(new URL(`fonts/${name}`, import.meta.url));
  // oxlint-disable-next-line import/no-named-as-default-member -- see above
  return opentype.parse(new Uint8Array(file).buffer);
});
/** Capital letters are this high in Roboto. Below the baseline counts as nothing, so that they are centered. */
const capHeight = 0.72;

const graphemes = new Intl.Segmenter('und');

/** The first character that no font has. */
export async function findUndrawable(text: string): Promise<string | undefined> {
  if (isInOwnFonts(text)) return undefined;
  const faces = findFacesFor(text);
  for (const { segment } of graphemes.segment(text)) {
    if (await faces.find(segment)) continue;
    for (const character of segment) if (!(await faces.find(character))) return character;
  }
  return undefined;
}

/**
 * In Roboto and Droid Sans Fallback if these have every character, as in designs that are printed and proven. Any other text is
 * shaped, in the family of labels: whole, because two typefaces in one line look like a mistake.
 */
export async function outlineText(text: string): Promise<TextOutline> {
  if (isInOwnFonts(text)) return outlineInOwnFonts(text);
  const undrawable = await findUndrawable(text);
  if (undrawable !== undefined) throw new RangeError('The text has a character that no font has');
  const { clusters, width } = await shapeText(text);
  const path: Path = [];
  let left = 0;
  for (const { glyphs, advance } of clusters) {
    for (const { face, glyph, x, y } of glyphs) {
      const { font } = await loadFace(face);
      const outline: Path = [];
      for (const command of font.glyphToJson(glyph))
        outline.push(toSegment(fromJson(command), outline.at(-1)));
      path.push(...moved(flipped(outline), (left + x) / unitsPerEm, -y / unitsPerEm, 1 / unitsPerEm));
    }
    left += advance;
  }
  const heights = path.flatMap((segment) => segment.slice(1).filter((_value, index) => index % 2 === 1));
  return {
    path,
    width: width / unitsPerEm,
    top: (heights as number[]).reduce((least, y) => Math.min(least, y), 0),
    bottom: (heights as number[]).reduce((most, y) => Math.max(most, y), 0),
  };
}

const isInOwnFonts = (text: string) => [...text].every((character) => fontOf(character));

function outlineInOwnFonts(text: string): TextOutline {
  const path: Path = [];
  let width = 0;
  for (const { font, characters } of runsOf(text)) {
    for (const command of font.getPath(characters, width, 0, 1).commands)
      path.push(toSegment(command, path.at(-1)));
    width += font.getAdvanceWidth(characters, 1);
  }
  return { path, width, top: -capHeight, bottom: 0 };
}

function fontOf(character: string): Font | undefined {
  return fonts.find((font) => font.charToGlyphIndex(character) > 0);
}

/** Splits the text where the font changes. */
function runsOf(text: string): { font: Font; characters: string }[] {
  const runs: { font: Font; characters: string }[] = [];
  for (const character of text) {
    const font = fontOf(character) as Font;
    const last = runs.at(-1);
    if (last?.font === font) last.characters += character;
    else runs.push({ font, characters: character });
  }
  return runs;
}

/** Fonts measure upward. */
function flipped(path: Path): Path {
  return path.map(
    ([kind, ...numbers]) =>
      [kind, ...numbers.map((value, index) => (index % 2 === 0 ? value : -value))] as Segment,
  );
}

function fromJson({ type, values: [one = 0, two = 0, x = 0, y = 0] }: { type: string; values: number[] }) {
  if (type === 'Z') return { type } as const;
  if (type === 'Q') return { type, x1: one, y1: two, x, y } as const;
  if (type !== 'M' && type !== 'L') throw new Error(`No glyph of a TrueType font has the command ${type}`);
  return { type, x: one, y: two } as const;
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
