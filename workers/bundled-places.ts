import geoip from 'geoip-lite';
import { type Place, unknownPlace } from '../src/scans/place.ts';
import { cachedLookup } from './cached-lookup.ts';

/** By geoip-lite's data. Importing this file loads it. */
export function bundledPlaces(): (address: string) => Place {
  return cachedLookup(findPlace);
}

function findPlace(address: string): Place {
  const found = geoip.lookup(address);
  // For ranges with a country but no coordinates, geoip-lite returns empty strings or nulls.
  const [latitude, longitude] = found?.ll ?? [];
  return {
    country: found?.country || unknownPlace.country,
    region: found?.region || null,
    city: found?.city || null,
    latitude: typeof latitude === 'number' ? latitude : null,
    longitude: typeof longitude === 'number' ? longitude : null,
  };
}
