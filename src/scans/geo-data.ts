import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * The day that the map of addresses to places is from. Its files are as young as the installation; only the name of the
 * archive that they were made of, which geoip-lite keeps beside the checksum, has the day.
 */
export function readGeoDataDate(): Date | undefined {
  // Not the package itself: to load that is to load 150 MB.
  const file = createRequire(import.meta.url).resolve('geoip-lite/data/city.checksum');
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)\.zip/.exec(readFileSync(file, 'utf8')) ?? [];
  return day ? new Date(`${year}-${month}-${day}T00:00:00Z`) : undefined;
}
