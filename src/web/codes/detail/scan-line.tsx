import { clientControlledColumns, columnNames } from '../../../scans/dimensions.ts';
import { type ScanRow, unknownCountry } from '../../../scans/scan.ts';
import { Moment } from '../../ui/time.tsx';

/** Columns of the table of scans; the country is part of the place. */
export const scanColumns = columnNames.filter((name) => name !== 'country');
type ScanColumn = (typeof scanColumns)[number];

/** A scan as the page shows it. */
export interface ScanLine extends Record<ScanColumn, string> {
  id: string;
  /** ISO 8601 */
  at: string;
  place: string;
}

export function toScanLine(scan: ScanRow): ScanLine {
  const country = countryName(scan.country);
  return {
    ...scan,
    at: scan.scannedAt.toISOString(),
    place: scan.city === null ? country : `${scan.city}, ${country}`,
    device: deviceName(scan.device),
  };
}

/** Clients control the text, which may be right-to-left. */
function isUntrusted(name: ScanColumn): boolean {
  return clientControlledColumns.some((column) => column === name);
}

export function deviceName(device: string): string {
  if (device === 'smarttv') return 'Smart TV';
  return device.charAt(0).toUpperCase() + device.slice(1);
}

export function ScanTableRow({ scan }: { scan: ScanLine }) {
  return (
    <tr data-scan={scan.id}>
      <th scope="row">
        <Moment at={scan.at} show="bare" />
      </th>
      <td>
        <bdi>{scan.place}</bdi>
      </td>
      {scanColumns.map((name) => (
        <td key={name}>{isUntrusted(name) ? <bdi>{scan[name]}</bdi> : scan[name]}</td>
      ))}
    </tr>
  );
}

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

export function countryName(code: string): string {
  if (code === unknownCountry) return 'Unknown';
  // DisplayNames throws for anything that is not a country code.
  return /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : code;
}
