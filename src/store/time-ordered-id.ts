/** Bounds of UUIDv7 ids, which begin with their time in milliseconds. */

/** The smallest id of that time. */
export function firstIdAt(time: Date): string {
  return idAt(time, '0');
}

/** The largest id of that time. */
export function lastIdAt(time: Date): string {
  return idAt(time, 'f');
}

function idAt(time: Date, digit: '0' | 'f'): string {
  const start = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  const rest = digit.repeat(4);
  return `${start.slice(0, 8)}-${start.slice(8)}-${rest}-${rest}-${digit.repeat(12)}`;
}
