import { type ContentType, type LinkButton, type Reader, required } from './content-type.ts';
import {
  type Coordinates,
  formatDegrees,
  isPair,
  maxPairLength,
  parseCoordinates,
  parseMapLink,
  parsePair,
} from './coordinates.ts';
import { webHref, webHrefOfAddress } from './links.ts';
import { percentEncode, queryFields } from './payload-syntax.ts';
import { asText, maxContentBytes, oneLine, type TextContent } from './plain-text.ts';
import type { LinksContent } from './social.ts';

export interface GeoContent {
  kind: 'geo';
  latitude: number;
  longitude: number;
  /** The name of the place, or empty. */
  label: string;
  href: string;
  /** For Apple devices, which do not support `geo:`. */
  appleHref: string;
  mapHref: string;
}

const texts = {
  openInMaps: {
    en: 'Open in maps',
    de: 'In Karten-App öffnen',
    fr: 'Ouvrir l’appli de cartes',
    es: 'Abrir en mapas',
    pt: 'Abrir no app de mapas',
    zh: '在地图应用中打开',
  },
  showOnMap: {
    en: 'Show on map',
    de: 'Auf der Karte zeigen',
    fr: 'Voir sur la carte',
    es: 'Ver en el mapa',
    pt: 'Ver no mapa',
    zh: '在地图上查看',
  },
};

export const geo = {
  name: 'Place',
  parse: parseGeo,
  form: {
    parts: [
      {
        name: 'place',
        label: 'Coordinates or map link',
        hint: 'Such as 51.5007, -0.1246, or a link copied from Google Maps, Apple Maps or OpenStreetMap.',
      },
      { name: 'label', label: 'Name of the place (optional)' },
    ],
    compose: (given) => {
      const place = parsePlace(given('place'));
      return place ? placeAt(place, oneLine(given('label'))).href : given('place');
    },
    read: (parsed) =>
      parsed.kind === 'geo'
        ? {
            place: `${formatDegrees(parsed.latitude)}, ${formatDegrees(parsed.longitude)}`,
            label: parsed.label,
          }
        : undefined,
    errors: (given) => {
      const place = given('place');
      return required(given, 'place', parsePlace(place) !== undefined, placeError(place));
    },
  },
  keep: (given) => ({ text: [given('label'), given('place')].filter(Boolean).join('\n') }),
  fill: ({ address }) => ({ place: parsePlace(address) ? address : '' }),
  remedy: 'Write latitude and longitude in degrees or paste a link to a map.',
  shown: {
    kind: 'geo',
    label: { en: 'Place', de: 'Ort', fr: 'Lieu', es: 'Lugar', pt: 'Lugar', zh: '地点' },
    icon: ['M12 21s-7-6-7-11a7 7 0 0 1 14 0c0 5-7 11-7 11z', [12, 10, 2.5]],
    printed: ({ label }) => label.trim(),
    page: (content, reader) => {
      const { latitude, longitude, label } = content;
      const text = `${formatDegrees(latitude)}, ${formatDegrees(longitude)}`;
      // A place with a name but no coordinates is stored as 0, 0.
      const isSearched = latitude === 0 && longitude === 0;
      return [
        ...(label
          ? [
              { part: 'value' as const, text: label },
              isSearched ? undefined : { part: 'digits' as const, text, look: 'quiet' as const },
            ]
          : [{ part: 'digits' as const, text, look: 'value' as const }]),
        { part: 'actions', buttons: mapButtons(content, reader) },
      ];
    },
    facts: ({ label, latitude, longitude }) => [
      ['Place', label],
      ['Coordinates', `${latitude}, ${longitude}`],
    ],
  },
  example: 'geo:53.5503,9.992?q=53.5503,9.992(Fernweh%20Roastery)',
} satisfies ContentType<GeoContent, GeoContent | LinksContent | TextContent>;

export function mapButtons(
  place: Pick<GeoContent, 'href' | 'appleHref' | 'mapHref'>,
  { language, mapsApp }: Reader,
): LinkButton[] {
  const onMap = { label: texts.showOnMap[language], href: place.mapHref };
  if (mapsApp === 'none') return [onMap];
  const href = mapsApp === 'apple' ? place.appleHref : place.href;
  return [
    { label: texts.openInMaps[language], href, opensAtOnce: true },
    { ...onMap, isSecondary: true },
  ];
}

function placeError(text: string): string {
  return webHrefOfAddress(text) === undefined
    ? 'must be coordinates, such as 51.5007, -0.1246, or a link from Google Maps, Apple Maps or OpenStreetMap'
    : 'This link contains no coordinates. Open it, and copy the coordinates or the long link from there';
}

function parseGeo(content: string): GeoContent | LinksContent | TextContent {
  if (content.length > maxContentBytes) return asText(content);
  return parseGeoUri(content) ?? parseBare(content) ?? parseMapAddress(content) ?? asText(content);
}

/** Coordinates, or a map link that contains them. */
function parsePlace(text: string): Coordinates | undefined {
  if (text.length > maxContentBytes) return undefined;
  return parseCoordinates(withDecimalPoints(text)) ?? parseMapLink(webHrefOfAddress(text.trim()) ?? '');
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
  return place ? placeAt(place, '') : { kind: 'links', lines: [{ text, href }] };
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
    return place && placeAt(place, label.trim());
  }
  // "geo:0,0?q=Unter den Linden 1" is the usual way to name a place without coordinates.
  if (search && written.latitude === 0 && written.longitude === 0) return placeByName(search);
  return placeAt(written, search);
}

function parseBare(content: string): GeoContent | undefined {
  const place = parseCoordinates(content);
  return place && placeAt(place, '');
}

/** The point is repeated as the query: without it, maps apps show no pin. */
export function placeAt({ latitude, longitude }: Coordinates, label: string): GeoContent {
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

export function placeByName(name: string): GeoContent {
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
