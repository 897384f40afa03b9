import { randomBytes } from 'node:crypto';
import { dayMs } from '../runtime/units.ts';

// Drawn for many ids at once: one call to the system per id would be the most expensive part of a redirect.
const digitsPerId = 19;
let randomDigits = '';
let used = 0;
let lastMs = -1;
let lastPrefix = '';

/** A UUIDv7, whose first 48 bits are the time of the scan in milliseconds. Our own code, because a library takes ten times as long. */
export function newScanId(nowMs: number): string {
  if (nowMs !== lastMs) {
    const millisecond = nowMs.toString(16).padStart(12, '0');
    lastMs = nowMs;
    lastPrefix = `${millisecond.slice(0, 8)}-${millisecond.slice(8)}-7`;
  }
  if (used + digitsPerId > randomDigits.length) {
    randomDigits = randomBytes(8_192).toString('hex');
    used = 0;
  }
  const at = used;
  used += digitsPerId;
  // The two high bits of this digit are the variant: 8, 9, a or b.
  const variant = '89ab'.charAt(randomDigits.charCodeAt(at) & 3);
  return `${lastPrefix}${randomDigits.slice(at + 1, at + 4)}-${variant}${randomDigits.slice(at + 4, at + 7)}-${randomDigits.slice(at + 7, at + 19)}`;
}

export function scannedAtOf(scanId: string): Date {
  return new Date(Number.parseInt(scanId.slice(0, 8) + scanId.slice(9, 13), 16));
}

let lastDay = Number.NaN;
let lastText = '';

/** The UTC day as in a DATE: `2026-11-15`. Remembers the last one, because it is called for every scan. */
export function utcDay(moment: Date): string {
  const day = Math.floor(moment.getTime() / dayMs);
  if (day !== lastDay) {
    lastText = moment.toISOString().slice(0, 10);
    lastDay = day;
  }
  return lastText;
}
