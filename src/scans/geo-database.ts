import { type FileHandle, open } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'maxmind';
import { unknownValues } from './dimensions.ts';
import type { ScanRow } from './scan.ts';

/** A MaxMind DB file with places, in memory. */
export interface GeoDatabase {
  /** As the publisher calls it: "GeoLite2-City", "DBIP-City-Lite". */
  type: string;
  madeAt: Date;
  bytes: number;
  /** False for a database that has only countries. */
  hasCities: boolean;
  /** False for a database that has only IPv4 addresses. */
  hasIpv6: boolean;
  /** Throws if the record is damaged. */
  find(address: string): Place;
}

/** Why a file cannot be used: the rest of a sentence that starts with its path. */
export class GeoDatabaseError extends Error {
  override name = 'GeoDatabaseError';
  readonly remedy: string;

  constructor(reason: string, remedy: string, options?: ErrorOptions) {
    super(reason, options);
    this.remedy = remedy;
  }
}

const marker = Buffer.from('\u{ab}\u{cd}\u{ef}MaxMind.com', 'latin1');
/** The metadata is at the end of the file, and no longer than this. */
const maxMetadataBytes = 128 * 1024;
/** Parts that many records share, such as the names of a country: decoding them is most of the work. */
const decodedParts = 2_000;
const chunkBytes = 64 * 1024 * 1024;

const downloadAgain =
  'Download it again: GeoLite2 City or GeoIP2 City of MaxMind, City Lite of DB-IP, or a database of IPinfo, as .mmdb.';

/** Reads the whole file and looks at records all over it, so that a damaged or incomplete file is noticed here. */
export async function readGeoDatabase(file: string): Promise<GeoDatabase> {
  const content = await readWhole(file);
  if (content.readUInt16BE(0) === 0x1f_8b)
    throw new GeoDatabaseError('is compressed', 'Unpack it (gunzip, or tar -xzf), and use the .mmdb file.');
  // Without this, the reader would search all of the file, byte by byte.
  const metadata = content.lastIndexOf(marker);
  if (metadata === -1 || metadata < content.length - maxMetadataBytes)
    throw new GeoDatabaseError('is not a MaxMind DB file, or incomplete', downloadAgain);
  try {
    return openDatabase(content);
  } catch (error) {
    if (error instanceof GeoDatabaseError) throw error;
    throw new GeoDatabaseError(`is damaged (${(error as Error).message})`, downloadAgain, { cause: error });
  }
}

function openDatabase(content: Buffer): GeoDatabase {
  const reader = new Reader<Response>(content, { cache: new LRUCache({ max: decodedParts }) });
  const { databaseType: type, buildEpoch: madeAt, ipVersion } = reader.metadata;
  const sampled = samplePlaces(content, reader);
  if (sampled.every(({ country }) => country === unknownPlace.country))
    throw new GeoDatabaseError(`(${type.slice(0, 64)}) has no countries`, downloadAgain);
  return {
    type: type.slice(0, 64),
    madeAt,
    bytes: content.length,
    hasCities: sampled.some(({ city }) => city !== null),
    hasIpv6: ipVersion === 6,
    find(address) {
      // The reader takes anything for an address, and would look up IPv6 in a tree of IPv4.
      if (!isIP(address) || (ipVersion === 4 && isIPv6(address))) return unknownPlace;
      return readPlace(reader.get(address));
    },
  };
}

/** The file as it was at one time. */
async function readWhole(file: string): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const before = await handle.stat();
    if (!before.isFile()) throw new GeoDatabaseError('is not a file', 'Use the path of an .mmdb file.');
    if (before.size <= marker.length) throw new GeoDatabaseError('is empty', downloadAgain);
    const content = Buffer.allocUnsafeSlow(before.size);
    let filled = 0;
    while (filled < content.length) {
      const { bytesRead } = await handle.read(content, filled, Math.min(chunkBytes, content.length - filled));
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const after = await handle.stat();
    if (filled < content.length || after.mtimeMs !== before.mtimeMs || after.size !== before.size)
      throw new GeoDatabaseError('was changed while it was read', 'Try again when it is complete.');
    return content;
  } catch (error) {
    if (error instanceof GeoDatabaseError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT'
      ? new GeoDatabaseError('does not exist', 'Put the database there, or correct GEO_DATABASE.')
      : new GeoDatabaseError(
          `cannot be read (${code ?? (error as Error).message})`,
          'Give this user permission to read the file and its folders.',
        );
  } finally {
    await handle?.close();
  }
}

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

/** Walks down to a record with data, left or right at random, avoiding branches without any. */
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

/** Where a client's address is, as far as it is known. */
export type Place = Pick<ScanRow, 'country' | 'region' | 'city' | 'latitude' | 'longitude'>;

export const unknownPlace: Place = Object.freeze({
  country: unknownValues.country,
  region: null,
  city: null,
  latitude: null,
  longitude: null,
});

const maxNameLength = 64;
/** Parsed only if not longer: no coordinate needs more digits. */
const maxNumberLength = 32;

/**
 * Reads a record of a MaxMind DB file. MaxMind and DB-IP nest their fields (`country.iso_code`, `city.names.en`); IPinfo
 * has flat ones, some of them numbers in strings. The file may be damaged or come from anybody: what does not fit is
 * unknown.
 */
export function readPlace(record: unknown): Place {
  const {
    country,
    country_code: countryCode,
    subdivisions,
    region_code: regionCode,
    region = fieldsOf(record)['state1'],
    city,
    location,
    lat,
    lng,
    latitude = lat,
    longitude = lng,
  } = fieldsOf(record);
  const largest = fieldsOf(Array.isArray(subdivisions) ? subdivisions[0] : undefined);
  const found = [fieldsOf(country)['iso_code'], countryCode, country].find(isCountry);
  return {
    country: found ?? unknownPlace.country,
    region: nameOf(largest['iso_code'], englishName(largest), regionCode, region),
    city: nameOf(englishName(fieldsOf(city)), city),
    ...coordinates(fieldsOf(location)['latitude'] ?? latitude, fieldsOf(location)['longitude'] ?? longitude),
  };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function englishName(fields: Record<string, unknown>): unknown {
  return fieldsOf(fields['names'])['en'];
}

function isCountry(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z]{2}$/.test(value);
}

/** The first that has a name. */
function nameOf(...values: unknown[]): string | null {
  for (const value of values) {
    const name = typeof value === 'string' ? cleanName(value) : '';
    if (name !== '') return name;
  }
  return null;
}

/**
 * Cut, and without characters that PostgreSQL rejects or that end a line. A vertical bar separates the parts of a city in
 * its counter.
 */
function cleanName(text: string): string {
  // A cut can leave half of a surrogate pair at the end.
  const cut = text.slice(0, maxNameLength).replace(/[\uD800-\uDBFF]$/, '');
  return cut.replace(/[\p{Cc}|]/gu, ' ').trim();
}

/** Both or neither: one alone is no place. */
function coordinates(latitude: unknown, longitude: unknown): Pick<Place, 'latitude' | 'longitude'> {
  const north = numberOf(latitude, 90);
  const east = numberOf(longitude, 180);
  return north === null || east === null
    ? { latitude: null, longitude: null }
    : { latitude: north, longitude: east };
}

function numberOf(value: unknown, limit: number): number | null {
  const isText = typeof value === 'string' && value.length <= maxNumberLength && value.trim() !== '';
  const number = isText ? Number(value) : value;
  // Some files have 32-bit numbers, which turn into many digits.
  return typeof number === 'number' && Math.abs(number) <= limit
    ? Math.round(number * 10_000) / 10_000
    : null;
}
