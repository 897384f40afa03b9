import { readAccountData } from '../src/accounts/account-exports.ts';
import { findDesigns } from '../src/codes/design/stored-design.ts';
import { ownedFiles, readWholeFile } from '../src/codes/files/stored-file.ts';
import { ownedCodes } from '../src/codes/codes.ts';
import type { QrCode } from '../src/codes/qr-code.ts';
import { findStyles, type Style } from '../src/codes/styles/styles.ts';
import { shareUrl } from '../src/codes/share-token.ts';
import { csvLine } from '../src/formats/csv.ts';
import type { StreamedFile } from '../src/formats/zip.ts';
import { scanCsvColumns } from '../src/scans/csv-columns.ts';
import { listScans } from '../src/scans/list-scans.ts';
import type { Database } from '../src/store/database.ts';

const scansPerRead = 1_000;
/** A file of an archive must be below 4 GiB. */
const batchesPerFile = 5_000;
/** Tells spreadsheets that a file is UTF-8. */
const byteOrderMark = '\uFEFF';
const codeColumns = [
  'id',
  'name',
  'type',
  'content',
  'category',
  'createdAt',
  'updatedAt',
  'expiresAt',
] as const;

/** The files of an export. Codes and scans are read in batches, while the archive is written. */
export async function* exportFiles(
  db: Database,
  userId: string,
  { baseUrl, now }: { baseUrl: string; now: Date },
): AsyncGenerator<StreamedFile> {
  yield { name: 'account.json', content: accountJson(db, userId, now) };
  yield { name: 'codes.json', content: codesJson(db, userId, baseUrl) };
  yield { name: 'codes.csv', content: codesCsv(db, userId, baseUrl) };
  yield { name: 'styles.json', content: stylesJson(db, userId) };
  for await (const { codeId } of ownedFiles(db, userId)) {
    const file = await readWholeFile(db, codeId);
    if (file) yield { name: `files/${codeId}/${file.name}`, content: file.chunks };
  }
  const scans = scanLines(db, userId);
  const state = { isDone: false };
  for (let part = 1; !state.isDone; part += 1)
    yield { name: part === 1 ? 'scans.csv' : `scans-${part}.csv`, content: scansCsv(scans, state) };
}

async function* accountJson(db: Database, userId: string, now: Date): AsyncGenerator<string> {
  yield `${JSON.stringify({ exportedAt: now, ...(await readAccountData(db, userId)) }, null, 2)}\n`;
}

async function* codesJson(db: Database, userId: string, baseUrl: string): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const codes of ownedCodes(db, userId)) {
    const designs = await findDesigns(
      db,
      codes.map(({ id }) => id),
    );
    for (const code of codes) {
      const { userId: _owner, hosts: _hosts, hostsKey: _key, ...fields } = code.toJSON() as QrCode;
      const link = shareUrl(baseUrl, code.shareToken);
      yield `${separator}${JSON.stringify({ ...fields, shareUrl: link, design: designs.get(code.id) ?? null })}`;
      separator = ',\n';
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

async function* stylesJson(db: Database, userId: string): AsyncGenerator<string> {
  const styles = (await findStyles(db, userId)).map((style) => {
    const { userId: _owner, nameKey: _key, ...fields } = style.toJSON() as Style;
    return fields;
  });
  yield `${JSON.stringify(styles, null, 2)}\n`;
}

async function* codesCsv(db: Database, userId: string, baseUrl: string): AsyncGenerator<string> {
  yield `${byteOrderMark}${csvLine([...codeColumns, 'shareUrl', 'isPublic', 'isFavorite'])}`;
  for await (const codes of ownedCodes(db, userId))
    for (const code of codes)
      yield csvLine([
        ...codeColumns.map((column) => code[column]),
        shareUrl(baseUrl, code.shareToken),
        String(code.isPublic),
        String(code.isFavorite),
      ]);
}

/** The next scans, as many as a file may have. */
async function* scansCsv(scans: AsyncGenerator<string>, state: { isDone: boolean }): AsyncGenerator<string> {
  yield `${byteOrderMark}${csvLine(['codeId', 'codeName', ...scanCsvColumns])}`;
  for (let batches = 0; batches < batchesPerFile; batches += 1) {
    const { value, done } = await scans.next();
    if (done) {
      state.isDone = true;
      return;
    }
    yield value;
  }
}

/** By code, newest first, in batches. */
async function* scanLines(db: Database, userId: string): AsyncGenerator<string> {
  for await (const codes of ownedCodes(db, userId))
    for (const { id, name } of codes) {
      for (let cursor: string | undefined; ; ) {
        const read = await listScans(db, id, { limit: scansPerRead, cursor });
        const scans = read.slice(0, scansPerRead);
        if (scans.length > 0)
          yield scans
            .map((scan) => csvLine([id, name, ...scanCsvColumns.map((column) => scan[column])]))
            .join('');
        if (read.length <= scansPerRead) break;
        cursor = scans.at(-1)?.id;
      }
    }
}
