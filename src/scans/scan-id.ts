import { randomFillSync } from 'node:crypto';

// Drawn for many ids at once: asking the system for each would be the dearest part of a redirect.
const randomness = Buffer.alloc(10 * 1_024);
let used = randomness.length;
let lastMs = -1;
let lastPrefix = '';

/** A UUIDv7: unique, and its first 48 bits are the millisecond of the scan. Written out, because a library takes ten times as long. */
export function newScanId(nowMs: number): string {
  if (nowMs !== lastMs) {
    const millisecond = nowMs.toString(16).padStart(12, '0');
    lastMs = nowMs;
    lastPrefix = `${millisecond.slice(0, 8)}-${millisecond.slice(8)}-7`;
  }
  if (used === randomness.length) {
    randomFillSync(randomness);
    used = 0;
  }
  // The two bits after the version's are the variant: 10.
  randomness[used + 2] = ((randomness[used + 2] ?? 0) & 0x3f) | 0x80;
  const random = randomness.toString('hex', used, used + 10);
  used += 10;
  return `${lastPrefix}${random.slice(1, 4)}-${random.slice(4, 8)}-${random.slice(8)}`;
}

export function scannedAtOf(scanId: string): Date {
  return new Date(Number.parseInt(scanId.slice(0, 8) + scanId.slice(9, 13), 16));
}
