import { parseUrl } from '../../http/parse-url.ts';
import { type Coordinates, parsePair } from './coordinates.ts';

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
  if (url.hostname === apple) return parseFields(url, pinFields) ?? parseFields(url, centerFields);
  if (google.test(url.hostname)) return parseGoogle(url);
  return undefined;
}

function parseGoogle(url: URL): Coordinates | undefined {
  return (
    parsePin(url.pathname) ??
    parseFields(url, pinFields) ??
    parsePath(url.pathname) ??
    parseFields(url, centerFields)
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

function parseFields(url: URL, names: string[]): Coordinates | undefined {
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
