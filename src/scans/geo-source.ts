import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The publisher of the places. The licenses of free databases require a link on pages that show them. */
export interface GeoSource {
  text: string;
  url: string;
}

const sources: [type: RegExp, GeoSource][] = [
  [/^GeoLite/i, { text: 'Places by GeoLite2 data created by MaxMind', url: 'https://www.maxmind.com' }],
  [/^DB-?IP/i, { text: 'IP geolocation by DB-IP', url: 'https://db-ip.com' }],
  [/ipinfo/i, { text: 'IP address data powered by IPinfo', url: 'https://ipinfo.io' }],
];

/** The metadata is at the end of a MaxMind DB file, and no longer than this. */
const maxMetadataBytes = 128 * 1024;

/** The source of GEO_DATABASE, or of geoip-lite's data. Reads only the end of the file: web processes look up no places. */
export async function readGeoSource(file: string | undefined): Promise<GeoSource | undefined> {
  const type = file === undefined ? 'GeoLite2-City' : await readDatabaseType(file);
  return sources.find(([pattern]) => pattern.test(type))?.[1];
}

async function readDatabaseType(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, maxMetadataBytes);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return findDatabaseType(buffer);
  } finally {
    await handle.close();
  }
}

/** The value after the key `database_type`: a byte with the type (2, a string) and the length, if that is below 29. */
function findDatabaseType(end: Buffer): string {
  const key = Buffer.from('database_type');
  const start = end.lastIndexOf(key) + key.length;
  const control = end[start] ?? 0;
  const [type, length] = [control >> 5, control & 0x1f];
  if (start < key.length || type !== 2) return '';
  return length < 29
    ? end.toString('utf8', start + 1, start + 1 + length)
    : end.toString('utf8', start + 2, start + 2 + 29 + (end[start + 1] ?? 0));
}

/**
 * The release date of the GeoIP data. The files have the time of the installation; only the name of the source archive,
 * which geoip-lite stores with the checksum, has the date.
 */
export function readGeoDataDate(): Date | undefined {
  // Resolved, not imported: importing geoip-lite loads 150 MB.
  const file = createRequire(import.meta.url).resolve('geoip-lite/data/city.checksum');
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)\.zip/.exec(readFileSync(file, 'utf8')) ?? [];
  return day ? new Date(`${year}-${month}-${day}T00:00:00Z`) : undefined;
}
