import { readGeoDataDate } from '../src/scans/geo-data.ts';
import type { Place } from '../src/scans/place.ts';
import type { Log } from '../src/telemetry/log.ts';

/** Where addresses are, by the database that is in use at the moment. */
export interface Places {
  find(address: string): Place;
  source: 'file' | 'bundled';
  /** When the data was made, if known. */
  madeAt(): Date | undefined;
  close(): void;
}

/** GEO_DATABASE, or geoip-lite's data. Only one of them is loaded: each takes a hundred megabytes or so. */
export async function openPlaces(file: string | undefined, log: Log): Promise<Places> {
  if (file !== undefined) {
    const { openGeoDatabase } = await import('./watched-geo-database.ts');
    return openGeoDatabase(file, log);
  }
  const { bundledPlaces } = await import('./bundled-places.ts');
  const madeAt = readGeoDataDate();
  return { find: bundledPlaces(), source: 'bundled', madeAt: () => madeAt, close: () => undefined };
}
