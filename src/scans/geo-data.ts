import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

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
