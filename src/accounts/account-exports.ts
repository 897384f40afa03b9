import { v7 as uuidv7 } from 'uuid';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';

const lifetimeMs = 7 * dayMs;
/** No build takes longer. What is older and not of a finished export was left behind by a killed worker. */
const maxBuildMs = dayMs;
const chunksPerStep = 64;
/** Between the web process that requests an export and the worker that builds it. */
const maxClockSkew = '1 hour';

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
  const { rows } = (await db.raw(
    `INSERT INTO account_exports AS export (user_id, request_id, requested_at, expires_at)
     VALUES (:userId, :requestId, :now, :expiresAt)
     ON CONFLICT (user_id) DO UPDATE SET request_id = excluded.request_id, requested_at = excluded.requested_at,
       expires_at = excluded.expires_at, build_id = NULL, bytes = NULL, failed_at = NULL,
       failure = NULL, queued_at = NULL, owner_told_at = NULL,
       leased_until = NULL, begun_at = NULL
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
  return rows.length > 0 ? requestId : undefined;
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

/** Makes a build the archive of its request. Of two builds, the first wins; chunks of the others are purged. */
export async function finishExport(
  db: Database,
  {
    userId,
    requestId,
    buildId,
    bytes,
  }: { userId: string; requestId: string; buildId: string; bytes: number },
  now = new Date(),
): Promise<void> {
  await pendingExport(db, userId, requestId).update({ build_id: buildId, bytes, built_at: now });
}

export async function failExport(
  db: Database,
  { userId, requestId }: { userId: string; requestId: string },
  now: Date,
): Promise<void> {
  await pendingExport(db, userId, requestId).update({ failed_at: now });
}

/** Not one that has failed: its chunks may be purged already. */
function pendingExport(db: Database, userId: string, requestId: string) {
  return db('account_exports').where({
    user_id: userId,
    request_id: requestId,
    build_id: null,
    failed_at: null,
  });
}

/** The archive, chunk by chunk, each read in the turn of its owner. Ends early where it is deleted meanwhile. */
export async function* readExport(
  db: Database,
  userId: string,
  inTurn: <Value>(read: () => Promise<Value>) => Promise<Value>,
): AsyncGenerator<Buffer> {
  const row = (await db('account_exports').where({ user_id: userId }).first('build_id')) as Row | undefined;
  if (!row?.build_id) return;
  for (let position = 0; ; position += 1) {
    const chunk = (await inTurn(async () =>
      db('account_export_chunks').where({ build_id: row.build_id, position }).first('data'),
    )) as { data: Buffer } | undefined;
    if (!chunk) return;
    yield chunk.data;
  }
}

/**
 * Exports that have expired, and chunks that are of no archive and no build that may be under way: of accounts that were
 * deleted, and of exports that were replaced or have failed. In steps of 32 MB, until `isOver`: a large archive takes longer
 * than a statement may.
 */
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
         WHERE NOT EXISTS (
           SELECT FROM account_exports AS export
           WHERE export.user_id = chunk.user_id AND expires_at > :now AND (
             export.build_id = chunk.build_id
             OR export.build_id IS NULL AND failed_at IS NULL
               AND chunk.created_at > greatest(requested_at - interval '${maxClockSkew}', :leftBehind)
           )
         )
         LIMIT ${chunksPerStep}
       )`,
      { now, leftBehind: new Date(now.getTime() - maxBuildMs) },
    )) as { rowCount: number };
    deleted = rowCount;
  }
  return db('account_exports').where('expires_at', '<=', now).delete();
}

/** What an account has besides codes and scans, for its export. Nothing that signs in: no hashes, keys or secrets. */
export async function readAccountData(db: Database, userId: string): Promise<object> {
  const ofUser = { user_id: userId };
  const account = (await db('users').where({ id: userId }).first({
    id: 'id',
    email: 'email',
    confirmedEmail: 'confirmed_email',
    plan: 'plan',
    limits: 'limits',
    isOperator: 'is_admin',
    language: 'language',
    timeZone: 'time_zone',
    mutedNotices: 'muted_notices',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
  })) as object;
  const apiKeys = (await db('api_keys').where(ofUser).orderBy('id').select({
    name: 'name',
    prefix: 'prefix',
    createdAt: 'created_at',
    revokedAt: 'revoked_at',
  })) as object[];
  const sessions = (await db('sessions')
    .where(ofUser)
    .orderBy('created_at')
    .select({ device: 'device', createdAt: 'created_at', seenAt: 'seen_at' })) as object[];
  const passkeys = (await db('passkeys')
    .where(ofUser)
    .orderBy('created_at')
    .select({ name: 'name', createdAt: 'created_at', usedAt: 'used_at' })) as object[];
  const authenticatorApp = (await db('totp_secrets').where(ofUser).first({ confirmedAt: 'confirmed_at' })) as
    | object
    | undefined;
  const webhooks = (await db('webhook_endpoints').where(ofUser).orderBy('id').select({
    id: 'id',
    name: 'name',
    url: 'url',
    events: 'events',
    codeIds: 'code_ids',
    categories: 'categories',
    isEnabled: 'is_enabled',
    createdAt: 'created_at',
  })) as object[];
  return { account, apiKeys, sessions, passkeys, authenticatorApp: authenticatorApp ?? null, webhooks };
}
