import { unknownValues } from '../../src/scans/dimensions.ts';
import type { ScanRow } from '../../src/scans/scan.ts';
import { newScanId } from '../../src/scans/scan-id.ts';

/** A scan as the worker would record it. */
export function scanRow(qrCodeId: string, scannedAt: string, changes: Partial<ScanRow> = {}): ScanRow {
  const moment = new Date(scannedAt);
  return {
    ...unknownValues,
    id: newScanId(moment.getTime()),
    qrCodeId,
    scannedAt: moment,
    country: 'GB',
    region: 'ENG',
    city: 'St Albans',
    latitude: 51.753,
    longitude: -0.3256,
    device: 'mobile',
    browser: 'Mobile Safari',
    os: 'iOS',
    ...changes,
  };
}
