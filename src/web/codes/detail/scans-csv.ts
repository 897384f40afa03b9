import { listScans } from '../../../scans/list-scans.ts';
import { columnNames } from '../../../scans/dimensions.ts';
import type { ScanRow } from '../../../scans/scan.ts';
import type { Database } from '../../../store/database.ts';

const scansPerRead = 1_000;
const columns = [
  'id',
  'scannedAt',
  'country',
  'region',
  'city',
  'latitude',
  'longitude',
  ...columnNames.filter((name) => name !== 'country'),
] as const satisfies (keyof ScanRow)[];

/** All scans, newest first, as RFC 4180 has it, with the mark by which spreadsheets know UTF-8. Read piece by piece. */
export async function* scansCsv(db: Database, codeId: string): AsyncGenerator<string> {
  yield `\uFEFF${columns.join(',')}\r\n`;
  for (let cursor: string | undefined; ; ) {
    const read = await listScans(db, codeId, { limit: scansPerRead, cursor });
    const scans = read.slice(0, scansPerRead);
    if (scans.length > 0) yield scans.map(toLine).join('');
    if (read.length <= scansPerRead) return;
    cursor = scans.at(-1)?.id;
  }
}

function toLine(scan: ScanRow): string {
  return `${columns.map((column) => toField(scan[column])).join(',')}\r\n`;
}

function toField(value: string | number | Date | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return value.toISOString();
  // A spreadsheet would take it for a formula, and what it says was chosen by whoever scanned.
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
