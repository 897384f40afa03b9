import { listScans } from '../../../scans/scan.ts';
import { scanCsvColumns } from '../../../scans/scan.ts';
import { csvLine } from '../../../formats/csv.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import type { PageParts } from '../../ui/page.ts';

const scansPerRead = 1_000;

/** All scans as CSV (RFC 4180), newest first, read in batches. The byte order mark tells spreadsheets that it is UTF-8. */
export async function* scansCsv(
  { reads, downloads }: Pick<PageParts, 'reads' | 'downloads'>,
  caller: Caller,
  codeId: string,
): AsyncGenerator<string> {
  yield `\uFEFF${scanCsvColumns.join(',')}\r\n`;
  for (let cursor: string | undefined; ; ) {
    const page = { limit: scansPerRead, cursor };
    const read = await downloads.read(caller, () => reads.scans(codeId, (db) => listScans(db, codeId, page)));
    const scans = read.slice(0, scansPerRead);
    if (scans.length > 0)
      yield scans.map((scan) => csvLine(scanCsvColumns.map((column) => scan[column]))).join('');
    if (read.length <= scansPerRead) return;
    cursor = scans.at(-1)?.id;
  }
}
