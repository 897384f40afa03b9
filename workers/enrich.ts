import type { RawScan } from '../src/queue/scan-jobs.ts';
import type { DeviceClass, ScanRow } from '../src/scans/scan.ts';
import { scannedAtOf } from '../src/scans/scan-id.ts';

export interface Agent {
  device: DeviceClass;
  browser: string;
  os: string;
}

export interface Place {
  country: string;
  region: string | null;
  city: string | null;
  latitude: number | null;
  longitude: number | null;
}

export interface LookUps {
  agent(userAgent: string): Agent;
  place(address: string): Place;
}

/** Raw scan and look-ups in, row out. The client's address ends here. */
export function enrich(scan: RawScan, lookUps: LookUps): ScanRow {
  return {
    id: scan.id,
    qrCodeId: scan.codeId,
    scannedAt: scannedAtOf(scan.id),
    ...lookUps.place(scan.address),
    ...lookUps.agent(scan.userAgent),
  };
}
