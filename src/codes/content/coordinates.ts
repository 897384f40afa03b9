export interface Coordinates {
  latitude: number;
  longitude: number;
}

/** Longer than any two numbers that people write or maps put into their links. */
const longest = 100;
const number = String.raw`([+-]?\d{1,3}(?:\.\d{0,20})?)`;
const decimals = new Intl.NumberFormat('en', { maximumFractionDigits: 7, useGrouping: false });
const pair = new RegExp(`^${number} ?, ?${number}$`);
const pairWithSides = new RegExp(`^${number} ?°? ?([NS])?(?: ?, ?| )${number} ?°? ?([EW])?$`, 'i');

/** `52.5,13.4`, with or without a space. */
export function parsePair(text: string): Coordinates | undefined {
  const [, latitude, longitude] = pair.exec(tidy(text)) ?? [];
  return toCoordinates(latitude, longitude);
}

/** Also where the point is not on the earth. */
export function isPair(text: string): boolean {
  return pair.test(tidy(text));
}

/** As people write them: also `52.5 13.4` and `52.5° N, 13.4° E`. */
export function parseCoordinates(text: string): Coordinates | undefined {
  const [, latitude = '', northSouth = '', longitude = '', eastWest = ''] =
    pairWithSides.exec(tidy(text)) ?? [];
  return toCoordinates(signed(latitude, northSouth), signed(longitude, eastWest));
}

/** Undefined for what is no number or not on the earth. */
function toCoordinates(north: string | undefined, east: string | undefined): Coordinates | undefined {
  if (!north || !east) return undefined;
  // Seven digits are a centimetre. Adding zero makes -0 a zero.
  const latitude = Number(Number(north).toFixed(7)) + 0;
  const longitude = Number(Number(east).toFixed(7)) + 0;
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isOnEarth ? { latitude, longitude } : undefined;
}

/** Never as 1e-7. */
export function formatDegrees(value: number): string {
  return decimals.format(value);
}

/** One space at most between two things, so that the patterns are linear. */
function tidy(text: string): string {
  return text.length > longest ? '' : text.trim().replaceAll(/\s+/g, ' ');
}

/** "-52.5 S" says it twice, or says two things: not understood. */
function signed(value: string, side: string): string {
  if (!side) return value;
  if (/^[+-]/.test(value)) return '';
  return /[sw]/i.test(side) ? `-${value}` : value;
}
