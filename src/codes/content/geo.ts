import type { GeoContent, LinksContent, TextContent } from './code-content.ts';
import { webHref } from './links.ts';
import { percentEncode, queryFields } from './percent.ts';
import { asText, oneLine } from './plain-text.ts';

interface Place {
  latitude: number;
  longitude: number;
}

const number = String.raw`([+-]?\d{1,3}(?:\.\d{0,20})?)`;
const pair = new RegExp(String.raw`^${number}\s*,\s*${number}$`);
const barePair = new RegExp(
  String.raw`^${number}\s*°?\s*([NS])?(?:\s*,\s*|\s+)${number}\s*°?\s*([EW])?$`,
  'i',
);

const mapPoint = new RegExp(
  String.raw`(?:/@|[?&](?:q|query|ll|center|daddr|destination)=)${number},${number}(?![\d.])`,
);

export function readGeo(content: string): GeoContent | LinksContent | TextContent {
  return readGeoUri(content) ?? readBare(content) ?? readMapAddress(content) ?? asText(content);
}

/** What a maps app shares: with the point in it where we are lucky, and else an address to open. */
function readMapAddress(content: string): GeoContent | LinksContent | undefined {
  const text = content.trim();
  const href = /\s/.test(text) ? undefined : webHref(text);
  if (!href) return undefined;
  const found = mapPoint.exec(href.replaceAll(/%2c/gi, ','));
  const place = placeOf(found);
  return place ? geoContent(place, '') : { kind: 'links', lines: [{ text, href }] };
}

function readGeoUri(content: string): GeoContent | undefined {
  const [, path, query = ''] = /^\s*geo:(?:\/\/)?([^?]*)(?:\?(.*))?$/is.exec(content) ?? [];
  if (path === undefined) return undefined;
  const [coordinates = '', ...parameters] = path.trim().split(';');
  // Another reference system would be another place.
  if (parameters.some((parameter) => /^crs=(?!wgs84$)/i.test(parameter))) return undefined;
  const [north, east, _altitude, ...more] = coordinates.split(',');
  const written = more.length > 0 ? undefined : placeOf(pair.exec(`${north},${east}`));
  if (!written) return undefined;
  // Maps apps read this as a form field, where a plus is a space.
  const search = oneLine((queryFields(query.replaceAll('+', ' ')).get('q') ?? '').trim());
  const [, before = search, label = ''] = /^([^(]*)\((.*)\)$/s.exec(search) ?? [];
  const searched = pair.exec(before.trim());
  if (searched) {
    const place = placeOf(searched);
    return place && geoContent(place, label.trim());
  }
  // "geo:0,0?q=Unter den Linden 1" is the usual way to name a place without knowing where it is.
  if (search && written.latitude === 0 && written.longitude === 0) return placeByName(search);
  return geoContent(written, search);
}

function readBare(content: string): GeoContent | undefined {
  const [, latitude = '', northSouth = '', longitude = '', eastWest = ''] =
    barePair.exec(content.trim()) ?? [];
  const place = placeOf(['', signed(latitude, northSouth), signed(longitude, eastWest)]);
  return place && geoContent(place, '');
}

/** "-52.5 S" says it twice, or says two things: not understood. */
function signed(value: string, side: string): string {
  if (!side) return value;
  if (/^[+-]/.test(value)) return '';
  return /[sw]/i.test(side) ? `-${value}` : value;
}

function placeOf(found: ArrayLike<string | undefined> | null): Place | undefined {
  if (!found?.[1] || !found[2]) return undefined;
  // Seven digits are a centimetre. Adding zero makes -0 a zero.
  const latitude = Number(Number(found[1]).toFixed(7)) + 0;
  const longitude = Number(Number(found[2]).toFixed(7)) + 0;
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isOnEarth ? { latitude, longitude } : undefined;
}

/** With the point as the search too: without it Android's maps show the area and no pin. */
function geoContent({ latitude, longitude }: Place, label: string): GeoContent {
  const north = degrees(latitude);
  const east = degrees(longitude);
  return {
    kind: 'geo',
    latitude,
    longitude,
    label,
    href: `geo:${north},${east}?q=${north},${east}${label ? `(${percentEncode(label)})` : ''}`,
    mapHref: `https://www.openstreetmap.org/?mlat=${north}&mlon=${east}#map=17/${north}/${east}`,
  };
}

function placeByName(name: string): GeoContent {
  return {
    kind: 'geo',
    latitude: 0,
    longitude: 0,
    label: name,
    href: `geo:0,0?q=${percentEncode(name)}`,
    mapHref: `https://www.openstreetmap.org/search?query=${percentEncode(name)}`,
  };
}

/** Never as 1e-7. */
function degrees(value: number): string {
  return value.toFixed(7).replace(/\.?0+$/, '');
}
