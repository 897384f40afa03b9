import { v7 as uuidv7 } from 'uuid';
import { addExportChunk, failExport, findExport, finishExport } from '../src/accounts/account-exports.ts';
import {
  releaseExportLease,
  renewEveryMs,
  renewExportLease,
  takeExportTurn,
} from '../src/accounts/export-turns.ts';
import { streamZip, ZipTooLargeError } from '../src/formats/zip.ts';
import type { ExportJob } from '../src/queue/export-queue.ts';
import { type JobHandler, TryLaterError } from '../src/queue/queue-worker.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { exportFiles } from './export-files.ts';
import type { ExportUpkeep } from './export-upkeep.ts';

/** Read and written at once. */
const chunkBytes = 512 * 1024;
/** About 100 million scans. */
const maxBytes = 2 * 1024 ** 3;

export interface ExportHandlerOptions {
  /** Not the connections that record scans. */
  backgroundDb: Database;
  site: { baseUrl: string };
  /** Of exports that are finished. Never rejects. */
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
}: ExportHandlerOptions): JobHandler<ExportJob> {
  async function build({ userId, requestId }: ExportJob): Promise<void> {
    const wanted = await findExport(db, userId, new Date());
    if (wanted?.requestId !== requestId || wanted.state !== 'pending') return;
    const buildId = uuidv7();
    const now = new Date();
    try {
      let bytes = 0;
      let position = 0;
      const archive = streamZip(exportFiles(db, userId, { baseUrl, now }), now, { maxBytes });
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
