import bidiFactory from 'bidi-js';
import { Buffer as ShapingBuffer, Direction, shape } from 'harfbuzzjs';
import { type FaceId, type FamilyFace, findFacesFor, loadMainFace } from './font-family.ts';

/** One line, in thousandths of the font size. */
export interface ShapedLine {
  /** From left to right, whatever the direction of the text. */
  clusters: ShapedCluster[];
  width: number;
  isRightToLeft: boolean;
}

/** Glyphs that stand for one or more characters and belong together: a letter and its accents, a ligature. */
export interface ShapedCluster {
  /** Offset in the text. */
  start: number;
  text: string;
  isRightToLeft: boolean;
  glyphs: PlacedGlyph[];
  /** Of the glyphs alone. */
  width: number;
  /** To the next cluster, with kerning. */
  advance: number;
}

export interface PlacedGlyph {
  face: FaceId;
  /** Its number in the face. */
  glyph: number;
  /** From the left end of the baseline. */
  x: number;
  y: number;
}

// Its types describe an ES module, but Node loads one of CommonJS.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const graphemes = new Intl.Segmenter('und');

/** Places the glyphs of a text: joined, with accents on their letters, and in the order in which they are seen. */
export async function shapeText(
  text: string,
  direction: 'ltr' | 'rtl' | 'auto' = 'auto',
): Promise<ShapedLine> {
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text, direction);
  const runs = await splitRuns(text, levels);
  const clusters = inVisualOrder(runs).flatMap((run) => shapeRun(text, run));
  const width = clusters.reduce((sum, { advance }) => sum + advance, 0);
  return { clusters, width, isRightToLeft: ((paragraphs[0]?.level ?? 0) & 1) === 1 };
}

/** Characters of one face, script and direction. */
interface Run {
  start: number;
  end: number;
  face: FamilyFace;
  script: string;
  level: number;
}

/** The scripts that share a face; shaping takes one at a time. */
const scriptsOfMainFace = {
  Latn: /\p{sc=Latn}/u,
  Cyrl: /\p{sc=Cyrl}/u,
  Grek: /\p{sc=Grek}/u,
  Deva: /\p{sc=Deva}/u,
};

async function splitRuns(text: string, levels: Uint8Array): Promise<Run[]> {
  const runs: Run[] = [];
  for (const { start, end, face } of await findFaces(text, new Set(levels).size <= 1)) {
    const part = text.slice(start, end);
    const level = levels[start] ?? 0;
    const last = runs.at(-1);
    const script =
      Object.entries(scriptsOfMainFace).find(([, pattern]) => pattern.test(part))?.[0] ?? last?.script ?? '';
    if (last && last.face === face && last.level === level && last.script === script) last.end = end;
    else runs.push({ start, end, face, script, level });
  }
  return runs;
}

type Part = Pick<Run, 'start' | 'end' | 'face'>;

/** All of it is in the main face, and most names are. */
const isPlain = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u024f]*$/;

/** A grapheme whose characters are in different faces is drawn character by character. */
async function findFaces(text: string, isOneDirection: boolean): Promise<Part[]> {
  const main = await loadMainFace();
  if (isOneDirection && isPlain.test(text)) return [{ start: 0, end: text.length, face: main }];
  const faces = findFacesFor(text);
  const parts: Part[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const whole = await faces.find(segment);
    let start = index;
    for (const part of whole ? [segment] : segment) {
      const face = whole ?? (await faces.find(part)) ?? main;
      parts.push({ start, end: (start += part.length), face });
    }
  }
  return parts;
}

/** Rule L2 of the Unicode Bidirectional Algorithm: reverses runs from the highest level down to the lowest odd one. */
function inVisualOrder(runs: Run[]): Run[] {
  const order = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < order.length; start += 1) {
      let end = start;
      while (end < order.length && (order[end] as Run).level >= level) end += 1;
      if (end > start) order.splice(start, end - start, ...order.slice(start, end).toReversed());
      start = end;
    }
  }
  return order;
}

/** Used again and again: what it holds is outside of the heap, where garbage is collected late. */
const buffer = new ShapingBuffer();

function shapeRun(text: string, { start, end, face, level }: Run): ShapedCluster[] {
  const isRightToLeft = (level & 1) === 1;
  buffer.reset();
  buffer.addText(text, start, end - start);
  buffer.guessSegmentProperties();
  buffer.setDirection(isRightToLeft ? Direction.RTL : Direction.LTR);
  shape(face.font, buffer);
  const positions = buffer.getGlyphPositions();
  const clusters: ShapedCluster[] = [];
  for (const [index, { codepoint: glyph, cluster }] of buffer.getGlyphInfos().entries()) {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
    let last = clusters.at(-1);
    if (last?.start !== cluster) {
      last = { start: cluster, text: '', isRightToLeft, glyphs: [], width: 0, advance: 0 };
      clusters.push(last);
    }
    last.glyphs.push({ face: face.id, glyph, x: last.advance + xOffset, y: yOffset });
    last.advance += xAdvance;
  }
  const starts = clusters.map((cluster) => cluster.start).toSorted((one, other) => one - other);
  for (const cluster of clusters) {
    cluster.text = text.slice(cluster.start, starts[starts.indexOf(cluster.start) + 1] ?? end);
    const [only, ...others] = cluster.glyphs;
    cluster.width = only && others.length === 0 ? face.font.glyphHAdvance(only.glyph) : cluster.advance;
  }
  return clusters;
}
