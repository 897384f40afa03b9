import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Value = string | number | bigint | boolean | Value[] | { [key: string]: Value };

interface DatabaseOptions {
  type?: string;
  madeAt?: Date;
  ipVersion?: 4 | 6;
  recordSize?: 24 | 28 | 32;
}

type Node = [left: Record, right: Record];
type Record = Node | Value | undefined;

/** A MaxMind DB file: search tree, data section, metadata. `networks` are like "81.2.69.0/24"; later ones win. */
export function mmdbFile(
  networks: readonly (readonly [network: string, record: Value])[],
  { type = 'GeoLite2-City', madeAt = new Date(), ipVersion = 6, recordSize = 28 }: DatabaseOptions = {},
): Buffer {
  const root: Node = [undefined, undefined];
  for (const [network, record] of networks) insert(root, networkBits(network, ipVersion), record);
  const nodes = list(root);
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const data: Buffer[] = [];
  let dataBytes = 0;
  const tree = nodes.map((node) => {
    const [left, right] = node.map((record) => {
      if (record === undefined) return nodes.length;
      if (isNode(record)) return numbers.get(record) as number;
      const bytes = encode(record);
      const position = nodes.length + 16 + dataBytes;
      data.push(bytes);
      dataBytes += bytes.length;
      return position;
    }) as [number, number];
    return encodeNode(left, right, recordSize);
  });
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: BigInt(Math.floor(madeAt.getTime() / 1000)),
    database_type: type,
    description: { en: 'made for a test' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: recordSize,
  });
  const marker = Buffer.from('\u{ab}\u{cd}\u{ef}MaxMind.com', 'latin1');
  return Buffer.concat([...tree, Buffer.alloc(16), ...data, marker, metadata]);
}

const nodeArrays = new WeakSet<object>();

function isNode(record: Record): record is Node {
  return typeof record === 'object' && nodeArrays.has(record);
}

function insert(root: Node, bits: number[], value: Value): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    let next = node[bit];
    if (!isNode(next)) {
      // A network inside another one: the rest of the outer one keeps its value.
      next = [next, next] as Node;
      nodeArrays.add(next);
      node[bit] = next;
    }
    node = next;
  }
  node[bits.at(-1) as number] = value;
}

/** Breadth first, the root at 0. */
function list(root: Node): Node[] {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.filter(isNode));
  return nodes;
}

/** IPv4 networks are in ::/96 of a tree for IPv6. */
function networkBits(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', length = ''] = network.split('/');
  const bytes = ipaddr.parse(address).toByteArray();
  const isMapped = isIPv4(address) && ipVersion === 6;
  const all = [...(isMapped ? Array<number>(12).fill(0) : []), ...bytes];
  const bits = all.flatMap((byte) => [...byte.toString(2).padStart(8, '0')].map(Number));
  return bits.slice(0, Number(length) + (isMapped ? 96 : 0));
}

function encodeNode(left: number, right: number, recordSize: 24 | 28 | 32): Buffer {
  const bytes = Buffer.alloc(recordSize / 4);
  if (recordSize !== 28) {
    bytes.writeUIntBE(left, 0, recordSize / 8);
    bytes.writeUIntBE(right, recordSize / 8, recordSize / 8);
    return bytes;
  }
  bytes.writeUIntBE(left & 0xff_ff_ff, 0, 3);
  bytes.writeUInt8(((left >>> 24) << 4) | (right >>> 24), 3);
  bytes.writeUIntBE(right & 0xff_ff_ff, 4, 3);
  return bytes;
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return withHeader(2, Buffer.from(value, 'utf8'));
  if (typeof value === 'boolean') return header(14, value ? 1 : 0);
  if (typeof value === 'bigint') return withHeader(9, unsigned(value));
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32)
    return withHeader(6, unsigned(BigInt(value)));
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return withHeader(3, bytes);
  }
  if (Array.isArray(value)) return Buffer.concat([header(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([
    header(7, entries.length),
    ...entries.flatMap(([key, field]) => [encode(key), encode(field)]),
  ]);
}

function unsigned(value: bigint): Buffer {
  const digits = value === 0n ? '' : value.toString(16);
  return Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex');
}

function withHeader(type: number, payload: Buffer): Buffer {
  return Buffer.concat([header(type, payload.length), payload]);
}

/** The type in the upper three bits, or in a second byte if it is above 7; the size in the lower five and after it. */
function header(type: number, size: number): Buffer {
  const [lower, ...more] = sizeBytes(size) as [number, ...number[]];
  return Buffer.from(type <= 7 ? [(type << 5) | lower, ...more] : [lower, type - 7, ...more]);
}

function sizeBytes(size: number): number[] {
  if (size < 29) return [size];
  if (size < 285) return [29, size - 29];
  if (size < 65_821) return [30, (size - 285) >> 8, (size - 285) & 0xff];
  const rest = size - 65_821;
  return [31, rest >> 16, (rest >> 8) & 0xff, rest & 0xff];
}
