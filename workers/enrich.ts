import type { RawScan } from '../src/queue/scan-jobs.ts';
import type { Place } from '../src/scans/place.ts';
import type { DeviceClass, ScanRow } from '../src/scans/scan.ts';
import { scannedAtOf } from '../src/scans/scan-id.ts';

export interface Agent {
  device: DeviceClass;
  browser: string;
  os: string;
}

export interface Lookups {
  agent(userAgent: string): Agent;
  place(address: string): Place;
}

/** Pure. The client's address is used here, and stored nowhere. */
export function enrich(scan: RawScan, lookups: Lookups): ScanRow {
  return {
    id: scan.id,
    qrCodeId: scan.codeId,
    scannedAt: scannedAtOf(scan.id),
    ...lookups.place(scan.address),
    ...lookups.agent(scan.userAgent),
  };
}
