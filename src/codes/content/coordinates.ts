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
