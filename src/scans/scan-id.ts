import { v7 as uuidv7 } from 'uuid';

/** A UUIDv7: unique, and its first 48 bits are the millisecond of the scan. */
export function newScanId(nowMs: number): string {
  return uuidv7({ msecs: nowMs });
}

export function scannedAtOf(scanId: string): Date {
  return new Date(Number.parseInt(scanId.slice(0, 8) + scanId.slice(9, 13), 16));
}
