import { unknownValues } from './dimensions.ts';
import type { ScanRow } from './scan.ts';

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
