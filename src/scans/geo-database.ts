import { type FileHandle, open } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'maxmind';
import { type Place, readPlace, unknownPlace } from './place.ts';
import { samplePlaces } from './geo-database-sample.ts';

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
