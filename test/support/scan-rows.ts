import { type ColumnName, columnNames, rankingName } from '../../src/scans/dimensions.ts';
import type { ScanRow } from '../../src/scans/scan.ts';
import { newScanId } from '../../src/scans/scan-id.ts';

/** What the worker finds out about `iPhoneSafari` in St Albans, in each dimension that is a column. */
export const iPhoneValues: Pick<ScanRow, ColumnName> = {
  country: 'GB',
  device: 'mobile',
  browser: 'Mobile Safari',
  os: 'iOS',
};

/** The scan of an iPhone in St Albans, as the worker would record it. */
export function scanRow(qrCodeId: string, scannedAt: string, changes: Partial<ScanRow> = {}): ScanRow {
  const moment = new Date(scannedAt);
  return {
    ...iPhoneValues,
    id: newScanId(moment.getTime()),
    qrCodeId,
    scannedAt: moment,
    region: 'ENG',
    city: 'St Albans',
    latitude: 51.753,
    longitude: -0.3256,
    ...changes,
  };
}

/** `byBrowser` and so on, in the analytics of that many scans of an iPhone in St Albans. */
export function iPhoneRankings(count: number): object {
  return Object.fromEntries(
    columnNames.map((name) => [rankingName(name), [{ [name]: iPhoneValues[name], count }]]),
  );
}
