import type { ScanRow } from '../../../scans/scan.ts';
import { countryName } from './countries.ts';
import { Moment } from '../../ui/moment.tsx';

/** A scan as the page shows it. */
export interface ScanLine {
  id: string;
  /** ISO 8601 */
  at: string;
  place: string;
  device: string;
  browser: string;
  os: string;
}

export function toScanLine({ id, scannedAt, city, country, device, browser, os }: ScanRow): ScanLine {
  const name = countryName(country);
  return {
    id,
    at: scannedAt.toISOString(),
    place: city === null ? name : `${city}, ${name}`,
    device: deviceName(device),
    browser,
    os,
  };
}

export function deviceName(device: string): string {
  if (device === 'smarttv') return 'Smart TV';
  return device.charAt(0).toUpperCase() + device.slice(1);
}

export function ScanTableRow({ scan }: { scan: ScanLine }) {
  return (
    <tr data-scan={scan.id}>
      <th scope="row">
        <Moment at={scan.at} bare />
      </th>
      <td>
        <bdi>{scan.place}</bdi>
      </td>
      <td>{scan.device}</td>
      <td>
        <bdi>{scan.browser}</bdi>
      </td>
      <td>
        <bdi>{scan.os}</bdi>
      </td>
    </tr>
  );
}
