import type { Config } from '../config.ts';
import { dayMs } from '../runtime/units.ts';
import { readGeoDataDate } from '../scans/geo-source.ts';
import { type GeoDatabase, GeoDatabaseError, readGeoDatabase } from '../scans/geo-database.ts';
import { type Finding, findingsFor, type Found, found } from './finding.ts';
import { formatBytes, pluralize } from './format.ts';

const { ok, warning, failure } = findingsFor('geo data');

/** Nobody updates geoip-lite's data. A file that is set up is updated every few days, or every month. */
const maxAgeDays = { bundled: 365, file: 90 };
const setFile =
  'Set GEO_DATABASE to a current database, such as GeoLite2 City of MaxMind or City Lite of DB-IP, which are free, and restart the workers (docs/deployment/places.md).';

export async function checkGeoData({ geoDatabase: file }: Config, nowMs: () => number): Promise<Found> {
  if (file === undefined) return assessBundledData(readGeoDataDate(), nowMs());
  try {
    return assessGeoDatabase(file, await readGeoDatabase(file), nowMs());
  } catch (error) {
    if (!(error instanceof GeoDatabaseError)) throw error;
    return failure(
      `GEO_DATABASE is ${file}, which ${error.message}: workers do not start with it, and those that run keep what they have loaded.`,
      error.remedy,
    );
  }
}

export function assessBundledData(madeAt: Date | undefined, nowMs: number): Finding {
  if (!madeAt) return warning("The age of geoip-lite's data is unknown.", setFile);
  const { text, days } = ageOf(madeAt, nowMs);
  const message = `Places come from geoip-lite's data (GeoLite2 City) of ${text}`;
  return days > maxAgeDays.bundled
    ? warning(`${message}: more and more scans get the wrong place.`, setFile)
    : ok(`${message}.`);
}

export function assessGeoDatabase(
  file: string,
  { type, madeAt, bytes, hasCities, hasIpv6 }: Omit<GeoDatabase, 'find'>,
  nowMs: number,
): Finding[] {
  const { text, days } = ageOf(madeAt, nowMs);
  const message = `Places come from GEO_DATABASE ${file} (${type}, ${formatBytes(bytes)}) of ${text}`;
  return found(
    days > maxAgeDays.file
      ? warning(
          `${message}: more and more scans get the wrong place.`,
          'Find out why it is not updated any more: run the program that downloads it (for MaxMind, `geoipupdate -v`). Workers notice a new file by themselves.',
        )
      : ok(`${message}.`),
    !hasCities &&
      warning(
        `${type} has countries, but no cities: analytics have none either.`,
        'Use a database with cities, such as GeoLite2 City or City Lite of DB-IP.',
      ),
    !hasIpv6 &&
      warning(
        `${type} has only IPv4 addresses: scans of phones with IPv6 get no place.`,
        'Use the file of the publisher that has both.',
      ),
  );
}

function ageOf(madeAt: Date, nowMs: number): { text: string; days: number } {
  const days = Math.max(0, Math.floor((nowMs - madeAt.getTime()) / dayMs));
  return { text: `${madeAt.toISOString().slice(0, 10)}, ${pluralize(days, 'day')} old`, days };
}
