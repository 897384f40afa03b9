import { parseUrl } from '../../http/parse-url.ts';

export interface Coordinates {
  latitude: number;
  longitude: number;
}

/** Longer than any pair that people write or map links contain. */
export const maxPairLength = 100;
const number = String.raw`([+-]?\d{1,3}(?:\.\d{0,20})?)`;
const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 7, useGrouping: false });
const pair = new RegExp(`^${number} ?, ?${number}$`);
const pairWithSides = new RegExp(`^${number} ?°? ?([NS])?(?: ?, ?| )${number} ?°? ?([EW])?$`, 'i');

/** `52.5,13.4`, with or without a space. */
export function parsePair(text: string): Coordinates | undefined {
  const [, latitude, longitude] = pair.exec(collapseSpaces(text)) ?? [];
  return toCoordinates(latitude, longitude);
}

/** Also true for a point that is out of range. */
export function isPair(text: string): boolean {
  return pair.test(collapseSpaces(text));
}

/** Also `52.5 13.4` and `52.5° N, 13.4° E`. */
export function parseCoordinates(text: string): Coordinates | undefined {
  const [, latitude = '', northSouth = '', longitude = '', eastWest = ''] =
    pairWithSides.exec(collapseSpaces(text)) ?? [];
  return toCoordinates(signed(latitude, northSouth), signed(longitude, eastWest));
}

/** Undefined where either is not a number or out of range. */
function toCoordinates(north: string | undefined, east: string | undefined): Coordinates | undefined {
  if (!north || !east) return undefined;
  // Seven decimals are a centimeter. Adding zero turns -0 into 0.
  const latitude = Number(Number(north).toFixed(7)) + 0;
  const longitude = Number(Number(east).toFixed(7)) + 0;
  const isInRange = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isInRange ? { latitude, longitude } : undefined;
}

/** Without an exponent: never 1e-7. */
export function formatDegrees(value: number): string {
  return decimals.format(value);
}

/** At most one space in a row, so that the patterns take linear time. */
function collapseSpaces(text: string): string {
  return text.length > maxPairLength ? '' : text.trim().replaceAll(/\s+/g, ' ');
}

/** "-52.5 S" is ambiguous, and not accepted. */
function signed(value: string, side: string): string {
  if (!side) return value;
  if (/^[+-]/.test(value)) return '';
  return /[sw]/i.test(side) ? `-${value}` : value;
}

/** A URL of any other host is treated as a link, and may be blocked as one. */
const google = /^(?:www\.|maps\.)?google\.(?:com|[a-z]{2}|com?\.[a-z]{2})$/;
const apple = 'maps.apple.com';
const openStreetMap = new Set(['openstreetmap.org', 'www.openstreetmap.org', 'osm.org', 'www.osm.org']);

/** A pin takes precedence over the center of the map. */
const pinFields = ['coordinate', 'q', 'query', 'destination', 'daddr', 'll'];
const centerFields = ['center', 'sll'];

/** The coordinates in a link from Google Maps, Apple Maps or OpenStreetMap. Short links contain none. */
export function parseMapLink(href: string): Coordinates | undefined {
  const url = parseUrl(href);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  if (openStreetMap.has(url.hostname)) return parseOpenStreetMap(url);
  if (url.hostname === apple) return parseQuery(url, pinFields) ?? parseQuery(url, centerFields);
  if (google.test(url.hostname)) return parseGoogle(url);
  return undefined;
}

function parseGoogle(url: URL): Coordinates | undefined {
  return (
    parsePin(url.pathname) ??
    parseQuery(url, pinFields) ??
    parsePath(url.pathname) ??
    parseQuery(url, centerFields)
  );
}

/** `…/data=!4m2!3d52.5!4d13.4`: the last pair is the place itself, or the end of a route. */
function parsePin(path: string): Coordinates | undefined {
  const parts = path.split('!');
  const at = parts.findLastIndex(
    (part, index) => part.startsWith('3d') && parts[index + 1]?.startsWith('4d'),
  );
  return at < 0 ? undefined : parsePair(`${parts[at]?.slice(2)},${parts[at + 1]?.slice(2)}`);
}

/** `/maps/@52.5,13.4,17z`, `/maps/search/52.5,+13.4` or `/maps/place/52.5,13.4/`. */
function parsePath(path: string): Coordinates | undefined {
  const segments = path.replaceAll('+', ' ').replaceAll(/%2c/gi, ',').replaceAll('%20', ' ').split('/');
  const center = segments.find((segment) => segment.startsWith('@'));
  const named = segments.find((segment) => parsePair(segment) !== undefined);
  return parsePair(named ?? '') ?? parsePair(center?.slice(1).split(',', 2).join(',') ?? '');
}

function parseQuery(url: URL, names: string[]): Coordinates | undefined {
  for (const name of names) {
    // Older links from Google have "loc:52.5,13.4".
    const found = parsePair((url.searchParams.get(name) ?? '').replace(/^loc:/, ''));
    if (found) return found;
  }
  return undefined;
}

function parseOpenStreetMap(url: URL): Coordinates | undefined {
  const { searchParams, hash } = url;
  const marked = parsePair(`${searchParams.get('mlat') ?? ''},${searchParams.get('mlon') ?? ''}`);
  if (marked) return marked;
  const [, north, east] = (new URLSearchParams(hash.slice(1)).get('map') ?? '').split('/');
  return parsePair(`${north},${east}`);
}
