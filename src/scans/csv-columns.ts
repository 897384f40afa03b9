import { columnNames } from './dimensions.ts';
import type { ScanRow } from './scan.ts';

/** What files of scans contain of each, in this order. */
export const scanCsvColumns = [
  'id',
  'scannedAt',
  'country',
  'region',
  'city',
  'latitude',
  'longitude',
  ...columnNames.filter((name) => name !== 'country'),
] as const satisfies (keyof ScanRow)[];
