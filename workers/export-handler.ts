import { v7 as uuidv7 } from 'uuid';
import {
  addExportChunk,
  failExport,
  findExport,
  finishExport,
  readWorkspaceData,
} from '../src/accounts/account-exports.ts';
import {
  releaseExportLease,
  renewEveryMs,
  renewExportLease,
  takeExportTurn,
  takeLostExports,
  tellOfExports,
} from '../src/accounts/export-turns.ts';
import { type StreamedFile, ZipTooLargeError, streamZip } from '../src/formats/zip.ts';
import type { ExportJob } from '../src/queue/queues.ts';
import { TryLaterError } from '../src/queue/queue-worker.ts';
import { type Brand, findBrand } from '../src/codes/brand.ts';
import { findDesigns } from '../src/codes/design/stored-design.ts';
import { ownedLogos } from '../src/codes/design/stored-logo.ts';
import { findPageLogos } from '../src/codes/share-page.ts';
import { ownedFiles, readWholeFile } from '../src/codes/files/stored-file.ts';
import { ownedCodes } from '../src/codes/codes.ts';
import type { QrCode } from '../src/codes/qr-code.ts';
import { shareUrl } from '../src/codes/share-token.ts';
import { type Style, findStyles } from '../src/codes/styles/styles.ts';
import { csvLine } from '../src/formats/csv.ts';
import type { MailRequest } from '../src/queue/mail-queue.ts';
import { listScans, scanCsvColumns } from '../src/scans/scan.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { listToldOwners } from '../src/workspaces/people.ts';
import type { WorkspaceId } from '../src/workspaces/workspace.ts';

/** Jobs call the workspace as the previous release does, in which an account was one. */
const workspaceOf = ({ userId }: Pick<ExportJob, 'userId'>) => userId as WorkspaceId;

/** Read and written at once. */
const chunkBytes = 512 * 1024;
/** About 100 million scans. */
const maxBytes = 2 * 1024 ** 3;

interface ExportHandlerOptions {
  /** Not the connections that record scans. */
  backgroundDb: Database;
  site: { baseUrl: string };
  /** `tellOwners` mails owners of finished exports. Never rejects. */
  exportUpkeep: Pick<ExportUpkeep, 'tellOwners'>;
  closing: AbortSignal;
  log: Log;
}

/**
 * A job says that an export waits: accounts take turns, so it may be that of another one. Goes on until none waits. Repeated
 * after a worker was killed, it makes a build of its own; a finished one is left as it is.
 */
export function createExportHandler({
  backgroundDb: db,
  site: { baseUrl },
  exportUpkeep,
  closing,
  log,
}: ExportHandlerOptions): (job: ExportJob) => Promise<void> {
  async function build({ userId, requestId }: ExportJob): Promise<void> {
    const wanted = await findExport(db, userId, new Date());
    if (wanted?.requestId !== requestId || wanted.state !== 'pending') return;
    const buildId = uuidv7();
    const now = new Date();
    try {
      let bytes = 0;
      let position = 0;
      const archive = streamZip(exportFiles(db, workspaceOf({ userId }), { baseUrl, now }), now, {
        maxBytes,
      });
      for await (const data of inChunks(archive, chunkBytes)) {
        await addExportChunk(db, { buildId, position, userId, data }, new Date());
        position += 1;
        bytes += data.length;
      }
      await finishExport(db, { userId, requestId, buildId, bytes });
    } catch (error) {
      if (!(error instanceof ZipTooLargeError)) throw error;
      await failExport(db, { userId, requestId }, new Date());
      log.warn({ userId, maxBytes }, 'an account is too large to be exported; its owner was told');
    }
  }

  async function buildLeased(turn: ExportJob): Promise<void> {
    const renewing = setInterval(() => {
      renewExportLease(db, turn, new Date()).catch((err: unknown) =>
        log.warn({ err }, 'the lease of an export was not renewed'),
      );
    }, renewEveryMs);
    try {
      await build(turn);
    } catch (error) {
      await releaseExportLease(db, turn).catch(() => undefined); // it ends by itself
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  async function buildAll(): Promise<void> {
    while (!closing.aborted) {
      const turn = await takeExportTurn(db, new Date());
      if (turn === undefined) return;
      if (turn === 'later') throw new TryLaterError('enough exports are being built, or stored');
      await buildLeased(turn);
      await exportUpkeep.tellOwners();
    }
    throw new TryLaterError('the worker shuts down');
  }

  return async () => {
    try {
      await buildAll();
    } catch (error) {
      if (isDatabaseUnavailable(error))
        throw new TryLaterError('the database is not available', { cause: error });
      throw error;
    }
  };
}

async function* inChunks(pieces: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < size) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(waiting);
}

interface ExportUpkeepOptions {
  db: Database;
  buildExport(job: ExportJob): Promise<void>;
  /** Undefined without SMTP_URL. */
  sendMail: ((request: MailRequest, id: string) => Promise<void>) | undefined;
  log: Log;
}

export interface ExportUpkeep {
  /** Mails the owners of exports that are ready, or have failed. */
  tellOwners(): Promise<void>;
  /** Adds the jobs of exports again that were lost. */
  resume(): Promise<void>;
}

/** Neither rejects: the next run of housekeeping tries again. */
export function createExportUpkeep({ db, buildExport, sendMail, log }: ExportUpkeepOptions): ExportUpkeep {
  async function resumeLost(): Promise<void> {
    for (const request of await takeLostExports(db, new Date())) {
      log.warn('an export of an account was not finished; it is built again');
      await buildExport(request);
    }
  }

  return {
    async tellOwners() {
      if (!sendMail) return;
      const tell = async (job: ExportJob, transaction: Database) => {
        const workspaceId = workspaceOf(job);
        // The same id if it is added again: sent once.
        for (const { userId } of await listToldOwners(transaction, workspaceId))
          await sendMail(
            { kind: 'export-finished', userId, workspaceId, requestId: job.requestId },
            `export-${job.requestId}-${userId}`,
          );
      };
      await tellOfExports(db, tell, new Date()).catch((err: unknown) =>
        log.warn({ err }, 'the owner of an export was not told; tried again within 10 minutes'),
      );
    },
    async resume() {
      await resumeLost().catch((err: unknown) =>
        log.warn(
          { err },
          'exports that were not finished could not be queued; tried again within 30 minutes',
        ),
      );
    },
  };
}

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
  workspaceId: WorkspaceId,
  { baseUrl, now }: { baseUrl: string; now: Date },
): AsyncGenerator<StreamedFile> {
  yield { name: 'workspace.json', content: workspaceJson(db, workspaceId, now) };
  yield { name: 'codes.json', content: codesJson(db, workspaceId, baseUrl) };
  yield { name: 'codes.csv', content: codesCsv(db, workspaceId, baseUrl) };
  yield { name: 'styles.json', content: stylesJson(db, workspaceId) };
  yield { name: 'brand.json', content: brandJson(db, workspaceId) };
  // Named by their ids, as designs, styles, pages and the brand refer to them.
  for await (const { id, png } of ownedLogos(db, workspaceId))
    yield { name: `logos/${id}.png`, content: [Buffer.from(png)] };
  for await (const { codeId } of ownedFiles(db, workspaceId)) {
    const file = await readWholeFile(db, codeId);
    if (file) yield { name: `files/${codeId}/${file.name}`, content: file.chunks };
  }
  const scans = scanLines(db, workspaceId);
  const state = { isDone: false };
  for (let part = 1; !state.isDone; part += 1)
    yield { name: part === 1 ? 'scans.csv' : `scans-${part}.csv`, content: scansCsv(scans, state) };
}

async function* workspaceJson(db: Database, workspaceId: WorkspaceId, now: Date): AsyncGenerator<string> {
  yield `${JSON.stringify({ exportedAt: now, ...(await readWorkspaceData(db, workspaceId)) }, null, 2)}\n`;
}

async function* codesJson(db: Database, workspaceId: WorkspaceId, baseUrl: string): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const codes of ownedCodes(db, workspaceId)) {
    const ids = codes.map(({ id }) => id);
    const designs = await findDesigns(db, ids);
    const pageLogos = await findPageLogos(db, ids);
    for (const code of codes) {
      const { workspaceId: _workspace, hosts: _hosts, hostsKey: _key, ...fields } = code.toJSON() as QrCode;
      const link = shareUrl(baseUrl, code.shareToken);
      const design = designs.get(code.id) ?? null;
      const pageLogo = pageLogos.get(code.id) ?? null;
      yield `${separator}${JSON.stringify({ ...fields, shareUrl: link, design, pageLogo })}`;
      separator = ',\n';
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

async function* stylesJson(db: Database, workspaceId: WorkspaceId): AsyncGenerator<string> {
  const styles = (await findStyles(db, workspaceId)).map((style) => {
    const { workspaceId: _workspace, nameKey: _key, ...fields } = style.toJSON() as Style;
    return fields;
  });
  yield `${JSON.stringify(styles, null, 2)}\n`;
}

async function* brandJson(db: Database, workspaceId: WorkspaceId): AsyncGenerator<string> {
  const brand = await findBrand(db, workspaceId);
  const { workspaceId: _workspace, ...fields } = (brand?.toJSON() ?? {}) as Partial<Brand>;
  yield `${JSON.stringify(brand ? fields : null, null, 2)}\n`;
}

async function* codesCsv(db: Database, workspaceId: WorkspaceId, baseUrl: string): AsyncGenerator<string> {
  yield `${byteOrderMark}${csvLine([...codeColumns, 'shareUrl', 'isPublic', 'isFavorite'])}`;
  for await (const codes of ownedCodes(db, workspaceId))
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
async function* scanLines(db: Database, workspaceId: WorkspaceId): AsyncGenerator<string> {
  for await (const codes of ownedCodes(db, workspaceId))
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
