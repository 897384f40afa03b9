import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const bytesPerId = 16;
// Drawn for many ids at once: asking the system for each would be the dearest part of a redirect.
const randomness = Buffer.alloc(bytesPerId * 512);
let used = randomness.length;

/** A UUIDv7: unique, and its first 48 bits are the millisecond of the scan. */
export function newScanId(nowMs: number): string {
  if (used === randomness.length) {
    randomFillSync(randomness);
    used = 0;
  }
  used += bytesPerId;
  return uuidv7({ msecs: nowMs, random: randomness.subarray(used - bytesPerId, used) });
}

export function scannedAtOf(scanId: string): Date {
  return new Date(Number.parseInt(scanId.slice(0, 8) + scanId.slice(9, 13), 16));
}
