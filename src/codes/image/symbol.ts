// The tables are not part of the public interface of `qr`, so package.json pins its exact version.
import { _ALPHANUMERIC, _BYTES, _ECC_BLOCKS, _WORDS_PER_BLOCK, encodeQR } from 'qr';
import type { ErrorCorrection } from '../qr-code.ts';

const levels = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const;
const largestVersion = 40;

export const tooLongToDraw = 'The content is longer than a QR code holds at its error correction level.';

type Mode = 'numeric' | 'alphanumeric' | 'byte';

/** Bits of the length field, for versions up to 9, up to 26 and above. */
const lengthBits: Record<Mode, [number, number, number]> = {
  numeric: [10, 12, 14],
  alphanumeric: [9, 11, 13],
  byte: [8, 16, 16],
};

/** The modules of the QR symbol, row by row, without a quiet zone; true is dark. Text is encoded as UTF-8. */
export function symbolModules(text: string, errorCorrection: ErrorCorrection): boolean[][] {
  const framed = encodeQR(text, 'raw', {
    ecc: levels[errorCorrection],
    encoding: modeOf(text),
    version: smallestVersion(text, errorCorrection),
    border: 1,
  });
  return framed.slice(1, -1).map((row) => row.slice(1, -1));
}

/** The number of modules per side, without drawing the symbol, which takes milliseconds for long text. */
export function countModules(text: string, errorCorrection: ErrorCorrection): number {
  return 17 + 4 * smallestVersion(text, errorCorrection);
}

/** How many codewords of the symbol can be lost. */
export function correctableCodewords(text: string, errorCorrection: ErrorCorrection): number {
  const { words, blocks } = correction(smallestVersion(text, errorCorrection), errorCorrection);
  return blocks * Math.floor(words / 2);
}

/** All codewords of the symbol, those for error correction included. */
export function countCodewords(text: string, errorCorrection: ErrorCorrection): number {
  return _BYTES[smallestVersion(text, errorCorrection) - 1] as number;
}

/** Whether a QR code can hold the text at that level. */
export function fitsSymbol(text: string, errorCorrection: ErrorCorrection): boolean {
  return findVersion(text, errorCorrection) !== undefined;
}

function smallestVersion(text: string, errorCorrection: ErrorCorrection): number {
  const version = findVersion(text, errorCorrection);
  if (version !== undefined) return version;
  throw new RangeError(`The text does not fit into a QR code at error correction ${errorCorrection}`);
}

function findVersion(text: string, errorCorrection: ErrorCorrection): number | undefined {
  const mode = modeOf(text);
  const payload = payloadBits(text, mode);
  for (let version = 1; version <= largestVersion; version += 1) {
    const [upTo9, upTo26, above] = lengthBits[mode];
    const length = version <= 9 ? upTo9 : version <= 26 ? upTo26 : above;
    if (4 + length + payload <= dataBits(version, errorCorrection)) return version;
  }
  return undefined;
}

/** The codewords for error correction in each block, and the number of blocks. */
function correction(version: number, errorCorrection: ErrorCorrection) {
  const level = levels[errorCorrection];
  const of = (table: number[]) => table[version - 1] as number;
  return { words: of(_WORDS_PER_BLOCK[level]), blocks: of(_ECC_BLOCKS[level]) };
}

/** All codewords except those for error correction, in bits. */
function dataBits(version: number, errorCorrection: ErrorCorrection): number {
  const { words, blocks } = correction(version, errorCorrection);
  return 8 * ((_BYTES[version - 1] as number) - words * blocks);
}

function payloadBits(text: string, mode: Mode): number {
  if (mode === 'byte') return 8 * Buffer.byteLength(text);
  const { length } = text;
  if (mode === 'alphanumeric') return 11 * Math.floor(length / 2) + 6 * (length % 2);
  return 10 * Math.floor(length / 3) + (length % 3 === 0 ? 0 : 1 + 3 * (length % 3));
}

function modeOf(text: string): Mode {
  if (/^\d+$/.test(text)) return 'numeric';
  for (let index = 0; index < text.length; index += 1) {
    if (!_ALPHANUMERIC.includes(text.charAt(index))) return 'byte';
  }
  return 'alphanumeric';
}

/** In modules, as the QR standard requires. */
const quietModules = 4;

/** Modules of whole pixels and equal width, centered in the image. */
export interface Layout {
  cells: boolean[][];
  cellPixels: number;
  /** Pixels to the left of and above the first module. */
  offset: number;
}

/** Pixels per module with a full quiet zone; 0 if it does not fit. */
export function modulePixels(modules: number, size: number): number {
  return Math.floor(size / (modules + 2 * quietModules));
}

export function sizeFor(modules: number, pixels: number): number {
  return pixels * (modules + 2 * quietModules);
}

/**
 * Lays the symbol out in an image of exactly that size. Extra pixels widen the quiet zone. With too few, the quiet zone
 * shrinks first; if even the symbol does not fit, modules are dropped.
 */
export function layOut(modules: boolean[][], size: number): Layout {
  const cells = modules.length > size ? dropModules(modules, size) : modules;
  const cellPixels = Math.max(1, modulePixels(cells.length, size));
  return { cells, cellPixels, offset: Math.floor((size - cells.length * cellPixels) / 2) };
}

function dropModules(modules: boolean[][], size: number): boolean[][] {
  const kept = Array.from({ length: size }, (_, index) =>
    Math.floor(((index + 0.5) * modules.length) / size),
  );
  return kept.map((row) => kept.map((column) => modules[row]?.[column] === true));
}
