import { listScans } from '../../../scans/list-scans.ts';
import { scanCsvColumns } from '../../../scans/csv-columns.ts';
import { csvLine } from '../../../http/csv.ts';
import type { Reads } from '../../../store/reads.ts';

const scansPerRead = 1_000;

/** All scans as CSV (RFC 4180), newest first, read in batches. The byte order mark tells spreadsheets that it is UTF-8. */
export async function* scansCsv(reads: Reads, codeId: string): AsyncGenerator<string> {
  yield `\uFEFF${scanCsvColumns.join(',')}\r\n`;
  for (let cursor: string | undefined; ; ) {
    const page = { limit: scansPerRead, cursor };
    const read = await reads.scans(codeId, (db) => listScans(db, codeId, page));
    const scans = read.slice(0, scansPerRead);
    if (scans.length > 0)
      yield scans.map((scan) => csvLine(scanCsvColumns.map((column) => scan[column]))).join('');
    if (read.length <= scansPerRead) return;
    cursor = scans.at(-1)?.id;
  }
}
