import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Blob, Face, Font, Variation } from 'harfbuzzjs';
import { LRUCache } from 'lru-cache';
import decompress from 'woff2-encoder/decompress';
import { likelyRegion, type Region } from './han-region.ts';

/** A font file of the family: a script, or a slice of one. */
export interface FamilyFace {
  id: FaceId;
  /** Scaled to `unitsPerEm`. */
  font: Font;
}

/** A file of ours, or a package and one of its slices, such as `noto-sans-sc/[57]`. */
export type FaceId = string;

/** In all files of the family, after scaling. */
export const unitsPerEm = 1_000;
/** Latin, Greek, Cyrillic and Devanagari, whole: accents must find their letters in the same file. */
const mainFace = 'noto-sans';
const symbols = 'noto-sans-symbols';
const scripts = [
  'arabic',
  'armenian',
  'bengali',
  'ethiopic',
  'georgian',
  'gujarati',
  'gurmukhi',
  'hebrew',
  'kannada',
  'khmer',
  'lao',
  'malayalam',
  'myanmar',
  'sinhala',
  'tamil',
  'telugu',
  'thai',
].map((script) => `noto-sans-${script}`);
const regions: Region[] = ['sc', 'tc', 'jp', 'kr'];
/** These subsets repeat characters of the main face. */
const repeated = new Set([
  'latin',
  'latin-ext',
  'vietnamese',
  'cyrillic',
  'cyrillic-ext',
  'greek-ext',
  'math',
]);

/** Finds a face for each grapheme of a text. */
export interface FaceFinder {
  /** Undefined if no face has all characters of the grapheme. */
  find(grapheme: string): Promise<FamilyFace | undefined>;
}

export function findFacesFor(text: string): FaceFinder {
  const first = likelyRegion(text);
  const packages = [
    ...scripts,
    symbols,
    ...[first, ...regions.filter((region) => region !== first)].map((region) => `noto-sans-${region}`),
    'noto-emoji',
  ];
  return {
    async find(grapheme) {
      const characters = neededCharacters(grapheme);
      const main = await loadFace(mainFace);
      if (hasAll(main, characters)) return main;
      for (const name of packages) {
        for (const id of await slicesWith(name, characters[0] as number)) {
          const face = await loadFace(id);
          if (hasAll(face, characters)) return face;
        }
      }
      return undefined;
    },
  };
}

/** Draws what no other face has: as a box, its glyph 0. */
export const loadMainFace = () => loadFace(mainFace);

function hasAll({ font }: FamilyFace, characters: number[]): boolean {
  return characters.every((character) => font.nominalGlyph(character) !== undefined);
}

/** Joiners, variation selectors and direction marks are not drawn, so no face needs them. */
function neededCharacters(grapheme: string): number[] {
  const characters = [...grapheme].filter(
    (character) => !/\p{Default_Ignorable_Code_Point}/u.test(character),
  );
  return (characters.length > 0 ? characters : [' ']).map((character) => character.codePointAt(0) as number);
}

/** Bounds the memory of a thread: a slice takes about 0.1 MB, and a page of Chinese names uses up to a hundred. */
const faces = new LRUCache<FaceId, Promise<FamilyFace>>({ max: 160 });

export function loadFace(id: FaceId): Promise<FamilyFace> {
  const known = faces.get(id);
  if (known) return known;
  const loading = readFace(id);
  loading.catch(() => faces.delete(id));
  faces.set(id, loading);
  return loading;
}

const require = createRequire(import.meta.url);

async function readFace(id: FaceId): Promise<FamilyFace> {
  const font = new Font(new Face(new Blob(await readFontFile(id))));
  font.setScale(unitsPerEm, unitsPerEm);
  // Files from packages are variable, some of them thin by default.
  if (id !== mainFace) font.setVariations([new Variation('wght', 400)]);
  return { id, font };
}

async function readFontFile(id: FaceId): Promise<Uint8Array> {
  const [name, slice = ''] = id.split('/') as [string, string?];
  if (name === mainFace) return readFile(new URL('fonts/noto-sans.ttf', import.meta.url));
  const file = `${name}-${slice.replace(/[[\]]/g, '')}-wght-normal.woff2`;
  return decompress(await readFile(require.resolve(`@fontsource-variable/${name}/files/${file}`)));
}

interface Slice {
  id: FaceId;
  first: number;
  last: number;
}

/** By the block of 256 characters that a range has part in. */
type SliceTable = Map<number, Slice[]>;

const blockOf = (character: number) => character >> 8;
const sliceTables = new Map<string, Promise<SliceTable>>();

/** The slices of a package that should have the character. An emoji may be in several, beside those that it joins with. */
async function slicesWith(name: string, character: number): Promise<FaceId[]> {
  const loading = sliceTables.get(name) ?? readSlices(name);
  sliceTables.set(name, loading);
  const block = (await loading).get(blockOf(character)) ?? [];
  return block.filter(({ first, last }) => first <= character && character <= last).map(({ id }) => id);
}

async function readSlices(name: string): Promise<SliceTable> {
  const file = require.resolve(`@fontsource-variable/${name}/unicode.json`);
  const ranges = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
  const table: SliceTable = new Map();
  for (const [slice, list] of Object.entries(ranges)) {
    if (repeated.has(slice) || (slice === 'symbols' && name !== symbols)) continue;
    for (const range of list.split(',')) {
      const [first = 0, last = first] = range
        .replace('U+', '')
        .split('-')
        .map((hex) => Number.parseInt(hex, 16));
      for (let block = blockOf(first); block <= blockOf(last); block += 1)
        table.set(block, [...(table.get(block) ?? []), { id: `${name}/${slice}`, first, last }]);
    }
  }
  return table;
}

/** Bounds the work for a page: names use far fewer characters that are not in the main face. */
const maxChecked = 500;
const isEastAsian = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;

/** The characters that would be printed as boxes, because no face has them. Each once. */
export async function findUnprintable(texts: string[]): Promise<string[]> {
  const characters = [...new Set(texts.flatMap((text) => [...text.normalize()]))];
  const unusual = characters.filter((character) => character > '\u024f').slice(0, maxChecked);
  const missing: string[] = [];
  for (const character of unusual) if (!(await isPrintable(character))) missing.push(character);
  return missing;
}

async function isPrintable(character: string): Promise<boolean> {
  if (!isEastAsian.test(character)) return (await findFacesFor(character).find(character)) !== undefined;
  // By the tables of their slices: loading a hundred of them would take seconds.
  for (const region of regions)
    if ((await slicesWith(`noto-sans-${region}`, character.codePointAt(0) as number)).length > 0) return true;
  return false;
}
