import type { GeoContent, LinksContent, TextContent } from './code-content.ts';
import { maxContentBytes } from './capacity.ts';
import {
  type Coordinates,
  formatDegrees,
  isPair,
  maxPairLength,
  parseCoordinates,
  parsePair,
} from './coordinates.ts';
import { webHref, webHrefOfAddress } from './links.ts';
import { parseMapLink } from './map-links.ts';
import { percentEncode, queryFields } from './percent.ts';
import { asText, oneLine } from './plain-text.ts';

export function parseGeo(content: string): GeoContent | LinksContent | TextContent {
  if (content.length > maxContentBytes) return asText(content);
  return parseGeoUri(content) ?? parseBare(content) ?? parseMapAddress(content) ?? asText(content);
}

/** Coordinates, or a map link that contains them. */
export function parsePlace(text: string): Coordinates | undefined {
  if (text.length > maxContentBytes) return undefined;
  return parseCoordinates(withDecimalPoints(text)) ?? parseMapLink(webHrefOfAddress(text.trim()) ?? '');
}

export function writePlace(place: Coordinates, label: string): string {
  return geoContent(place, oneLine(label)).href;
}

/** With decimal commas: "53,5503; 9,9920" and "53,5503, 9,9920". */
function withDecimalPoints(text: string): string {
  if (text.length > maxPairLength) return text;
  return text
    .trim()
    .replace(/^([+-]?\d{1,3}),(\d{1,20})(?:[;,]\s?|\s)([+-]?\d{1,3}),(\d{1,20})$/, '$1.$2,$3.$4')
    .replace(';', ',');
}

/** The link that a maps app shares. Where it contains no coordinates, it is a link to open. */
function parseMapAddress(content: string): GeoContent | LinksContent | undefined {
  const text = content.trim();
  const href = /\s/.test(text) ? undefined : webHref(text);
  if (!href) return undefined;
  const place = parseMapLink(href);
  return place ? geoContent(place, '') : { kind: 'links', lines: [{ text, href }] };
}

function parseGeoUri(content: string): GeoContent | undefined {
  const [, path, query = ''] = /^\s*geo:(?:\/\/)?([^?]*)(?:\?(.*))?$/is.exec(content) ?? [];
  if (path === undefined) return undefined;
  const [coordinates = '', ...parameters] = path.trim().split(';');
  // In another reference system the same numbers are another place.
  if (parameters.some((parameter) => /^crs=(?!wgs84$)/i.test(parameter))) return undefined;
  const [north, east, _altitude, ...more] = coordinates.split(',');
  const written = more.length > 0 ? undefined : parsePair(`${north},${east}`);
  if (!written) return undefined;
  // Maps apps parse this as a form field, where a plus is a space.
  const search = oneLine((queryFields(query.replaceAll('+', ' ')).get('q') ?? '').trim());
  const [, before = search, label = ''] = /^([^(]*)\((.*)\)$/s.exec(search) ?? [];
  if (isPair(before)) {
    const place = parsePair(before);
    return place && geoContent(place, label.trim());
  }
  // "geo:0,0?q=Unter den Linden 1" is the usual way to name a place without coordinates.
  if (search && written.latitude === 0 && written.longitude === 0) return placeByName(search);
  return geoContent(written, search);
}

function parseBare(content: string): GeoContent | undefined {
  const place = parseCoordinates(content);
  return place && geoContent(place, '');
}

/** The point is repeated as the query: without it, maps apps show no pin. */
function geoContent({ latitude, longitude }: Coordinates, label: string): GeoContent {
  const point = `${formatDegrees(latitude)},${formatDegrees(longitude)}`;
  return {
    kind: 'geo',
    latitude,
    longitude,
    label,
    href: `geo:${point}?q=${point}${label ? `(${percentEncode(label)})` : ''}`,
    appleHref: `https://maps.apple.com/?ll=${point}&q=${label ? percentEncode(label) : point}`,
    mapHref: `https://www.openstreetmap.org/?mlat=${formatDegrees(latitude)}&mlon=${formatDegrees(longitude)}#map=17/${point.replace(',', '/')}`,
  };
}

function placeByName(name: string): GeoContent {
  return {
    kind: 'geo',
    latitude: 0,
    longitude: 0,
    label: name,
    href: `geo:0,0?q=${percentEncode(name)}`,
    appleHref: `https://maps.apple.com/?q=${percentEncode(name)}`,
    mapHref: `https://www.openstreetmap.org/search?query=${percentEncode(name)}`,
  };
}
