import { Model, snakeCaseMappers } from 'objection';

export const unknownCountry = 'ZZ';

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

export class Scan extends Model {
  static override tableName = 'scans';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare qrCodeId: string;
  declare scannedAt: Date;
  declare country: string;
  declare region: string | null;
  declare city: string | null;
  declare latitude: number | null;
  declare longitude: number | null;
  declare device: DeviceClass;
  declare browser: string;
  declare os: string;
}

/** A scan as the worker writes it: every column, nothing else. */
export type ScanRow = Pick<
  Scan,
  | 'id'
  | 'qrCodeId'
  | 'scannedAt'
  | 'country'
  | 'region'
  | 'city'
  | 'latitude'
  | 'longitude'
  | 'device'
  | 'browser'
  | 'os'
>;
