import { Model, snakeCaseMappers } from 'objection';
import { type ColumnName, unknownValues } from './dimensions.ts';

export const unknownCountry = unknownValues.country;

export const deviceClasses = [
  'mobile',
  'tablet',
  'desktop',
  'smarttv',
  'wearable',
  'console',
  'embedded',
  'unknown',
] as const;
export type DeviceClass = (typeof deviceClasses)[number];

/** A scan as it is in the table: every column, nothing else. */
export interface ScanRow extends Record<ColumnName, string> {
  id: string;
  qrCodeId: string;
  scannedAt: Date;
  device: DeviceClass;
  region: string | null;
  city: string | null;
  latitude: number | null;
  longitude: number | null;
}

/** Selects as `ScanRow`. */
export class Scan extends Model {
  static override tableName = 'scans';
  static override columnNameMappers = snakeCaseMappers();
}
