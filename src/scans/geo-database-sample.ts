import type { Reader, Response } from 'maxmind';
import { type Place, readPlace } from './place.ts';

const samples = 500;

/**
 * The places of records all over a MaxMind DB file. Throws if a node or record does not fit the rest of the file, as in one
 * that has been written in part.
 */
export function samplePlaces(content: Buffer, reader: Reader<Response>): Place[] {
  const { nodeCount, recordSize, searchTreeSize, ipVersion } = reader.metadata;
  const separator = content.subarray(searchTreeSize, searchTreeSize + 16);
  if (separator.length < 16 || separator.some((byte) => byte !== 0))
    throw new Error('the search tree does not end where the metadata says');
  const readRecord = recordReader(content, recordSize);
  const random = randomBits();
  const places: Place[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const bits = walk(readRecord, nodeCount, ipVersion === 4 ? 32 : 128, random);
    if (bits) places.push(readPlace(reader.get(toAddress(bits))));
  }
  return places;
}

/** Down to a record with data, left or right by chance, and around branches that have none. */
function walk(
  readRecord: (node: number, side: 0 | 1) => number,
  nodeCount: number,
  depth: number,
  random: () => 0 | 1,
): number[] | undefined {
  const bits: number[] = [];
  for (let node = 0; bits.length < depth; ) {
    let side = random();
    let next = readRecord(node, side);
    if (next === nodeCount) {
      side = side === 0 ? 1 : 0;
      next = readRecord(node, side);
    }
    if (next === nodeCount) return undefined;
    bits.push(side);
    if (next > nodeCount) return [...bits, ...Array<number>(depth - bits.length).fill(0)];
    node = next;
  }
  throw new Error('the search tree is deeper than an address is long');
}

/** A node has two records of 24, 28 or 32 bits; of 28, the upper four bits of both are in the byte between them. */
function recordReader(content: Buffer, recordSize: number): (node: number, side: 0 | 1) => number {
  const nodeBytes = recordSize / 4;
  return (node, side) => {
    const start = node * nodeBytes;
    if (recordSize !== 28) return content.readUIntBE(start + (side * nodeBytes) / 2, nodeBytes / 2);
    const middle = content.readUInt8(start + 3);
    const upper = side === 0 ? middle >> 4 : middle & 0x0f;
    return upper * 2 ** 24 + content.readUIntBE(start + side * 4, 3);
  };
}

function toAddress(bits: number[]): string {
  const groupBits = bits.length === 32 ? 8 : 16;
  const groups: string[] = [];
  for (let start = 0; start < bits.length; start += groupBits) {
    const group = Number.parseInt(bits.slice(start, start + groupBits).join(''), 2);
    groups.push(group.toString(bits.length === 32 ? 10 : 16));
  }
  return groups.join(bits.length === 32 ? '.' : ':');
}

/** The same bits at each call, so that a file is accepted or not, always. */
function randomBits(): () => 0 | 1 {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 0 ? 0 : 1;
  };
}
