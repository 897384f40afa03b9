import { v7 as uuidv7 } from 'uuid';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';

const lifetimeMs = 7 * dayMs;
/** No build takes longer. What is older and not of a finished export was left behind by a killed worker. */
const maxBuildMs = dayMs;
const chunksPerStep = 64;

export interface AccountExport {
  requestId: string;
  requestedAt: Date;
  state: 'pending' | 'ready' | 'failed';
  /** Why it failed: the account has more than an archive can hold, or every attempt of a day ended with an error. */
  failure: 'too-large' | 'error';
  bytes: number;
  expiresAt: Date;
}

interface Row {
  request_id: string;
  requested_at: Date;
  build_id: string | null;
  bytes: number | null;
  failed_at: Date | null;
  failure: string | null;
  expires_at: Date;
}

/** Replaces an earlier export. Undefined while one is being built. */
export async function requestExport(db: Database, userId: string, now: Date): Promise<string | undefined> {
  const requestId = uuidv7({ msecs: now.getTime() });
  return db.transaction(async (transaction) => {
    const { rows } = (await transaction.raw(
      `INSERT INTO account_exports AS export (user_id, request_id, requested_at, expires_at)
       VALUES (:userId, :requestId, :now, :expiresAt)
       ON CONFLICT (user_id) DO UPDATE SET request_id = excluded.request_id, requested_at = excluded.requested_at,
         expires_at = excluded.expires_at, build_id = NULL, bytes = NULL, failed_at = NULL,
         failure = NULL, queued_at = NULL, owner_told_at = NULL
       WHERE export.build_id IS NOT NULL OR export.failed_at IS NOT NULL OR export.requested_at < :tooOld
       RETURNING request_id`,
      {
        userId,
        requestId,
        now,
        expiresAt: new Date(now.getTime() + lifetimeMs),
        tooOld: new Date(now.getTime() - maxBuildMs),
      },
    )) as { rows: unknown[] };
    if (rows.length === 0) return undefined;
    await transaction('account_export_chunks').where({ user_id: userId }).delete();
    return requestId;
  });
}

/** For a request that could not be queued. */
export async function cancelExport(db: Database, userId: string, requestId: string): Promise<void> {
  await db('account_exports').where({ user_id: userId, request_id: requestId, build_id: null }).delete();
}

export async function findExport(
  db: Database,
  userId: string,
  now: Date,
): Promise<AccountExport | undefined> {
  const row = (await db('account_exports')
    .where({ user_id: userId })
    .where('expires_at', '>', now)
    .first()) as Row | undefined;
  return (
    row && {
      requestId: row.request_id,
      requestedAt: row.requested_at,
      state: row.build_id ? 'ready' : row.failed_at ? 'failed' : 'pending',
      failure: row.failure === 'error' ? 'error' : 'too-large',
      bytes: row.bytes ?? 0,
      expiresAt: row.expires_at,
    }
  );
}

export async function addExportChunk(
  db: Database,
  chunk: { buildId: string; position: number; userId: string; data: Buffer },
  now: Date,
): Promise<void> {
  const { buildId, position, userId, data } = chunk;
  await db('account_export_chunks').insert({
    build_id: buildId,
    position,
    user_id: userId,
    data,
    created_at: now,
  });
}

/** Makes a build the archive of its request. Of two builds, the first wins; chunks of the others are deleted. */
export async function finishExport(
  db: Database,
  {
    userId,
    requestId,
    buildId,
    bytes,
  }: { userId: string; requestId: string; buildId: string; bytes: number },
): Promise<void> {
  await db.transaction(async (transaction) => {
    const isFirst = await transaction('account_exports')
      .where({ user_id: userId, request_id: requestId, build_id: null })
      .update({ build_id: buildId, bytes, failed_at: null, failure: null });
    const chunks = transaction('account_export_chunks').where({ user_id: userId });
    // Of a request that was replaced, only its own: a build of the later one may be under way.
    await (isFirst ? chunks.whereNot({ build_id: buildId }) : chunks.where({ build_id: buildId })).delete();
  });
}

export async function failExport(
  db: Database,
  { userId, requestId, buildId }: { userId: string; requestId: string; buildId: string },
  now: Date,
): Promise<void> {
  await db('account_export_chunks').where({ build_id: buildId }).delete();
  await db('account_exports')
    .where({ user_id: userId, request_id: requestId, build_id: null })
    .update({ failed_at: now });
}

/** The archive, chunk by chunk. Ends early where it is deleted meanwhile. */
export async function* readExport(db: Database, userId: string): AsyncGenerator<Buffer> {
  const row = (await db('account_exports').where({ user_id: userId }).first('build_id')) as Row | undefined;
  if (!row?.build_id) return;
  for (let position = 0; ; position += 1) {
    const chunk = (await db('account_export_chunks')
      .where({ build_id: row.build_id, position })
      .first('data')) as { data: Buffer } | undefined;
    if (!chunk) return;
    yield chunk.data;
  }
}

/** In steps of 32 MB, until `isOver`: a large archive takes longer than a statement may. */
export async function purgeExports(
  db: Database,
  now: Date,
  isOver: () => boolean = () => false,
): Promise<number> {
  for (let deleted = chunksPerStep; deleted === chunksPerStep; ) {
    if (isOver()) return 0;
    const { rowCount } = (await db.raw(
      `DELETE FROM account_export_chunks WHERE (build_id, position) IN (
         SELECT build_id, position FROM account_export_chunks AS chunk
         WHERE EXISTS (SELECT FROM account_exports AS export WHERE export.build_id = chunk.build_id AND expires_at <= :now)
           OR (created_at <= :leftBehind
               AND NOT EXISTS (SELECT FROM account_exports AS export WHERE export.build_id = chunk.build_id))
         LIMIT ${chunksPerStep}
       )`,
      { now, leftBehind: new Date(now.getTime() - maxBuildMs) },
    )) as { rowCount: number };
    deleted = rowCount;
  }
  return db('account_exports').where('expires_at', '<=', now).delete();
}
