import { Model, snakeCaseMappers } from 'objection';
import { v7 as uuidv7 } from 'uuid';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { ApiKey } from './api-keys.ts';
import { Identity } from './identities.ts';
import { Passkey, TotpSecret } from './second-factors.ts';
import { Session } from './sessions.ts';
import { User } from './users.ts';
import { listPeople, listWorkspacesOf } from '../workspaces/people.ts';
import { findWorkspace, type WorkspaceId } from '../workspaces/workspace.ts';

const lifetimeMs = 7 * dayMs;
/** No build takes longer. What is older and not of a finished export was left behind by a killed worker. */
const maxBuildMs = dayMs;
const chunksPerStep = 64;
/** Between the web process that requests an export and the worker that builds it. */
const maxClockSkew = '1 hour';

export class ExportRequest extends Model {
  static override tableName = 'account_exports';
  static override idColumn = 'user_id';
  static override columnNameMappers = snakeCaseMappers();

  declare userId: string;
  declare requestId: string;
  declare requestedAt: Date;
  declare buildId: string | null;
  declare builtAt: Date | null;
  declare bytes: number | null;
  declare failedAt: Date | null;
  /** Why it failed: the account has more than an archive can hold, or every attempt of a day ended with an error. */
  declare failure: 'too-large' | 'error' | null;
  declare queuedAt: Date | null;
  declare begunAt: Date | null;
  declare leasedUntil: Date | null;
  declare ownerToldAt: Date | null;
  declare expiresAt: Date;

  /** Not those that have failed: their chunks may be purged already. */
  static pending(db: Database) {
    return ExportRequest.query(db).whereNull('build_id').whereNull('failed_at');
  }

  /** Replaces an earlier one. False while one is being built. */
  static async replace(
    db: Database,
    request: { userId: string; requestId: string; now: Date; expiresAt: Date; tooOld: Date },
  ): Promise<boolean> {
    const { rows } = (await db.raw(
      `INSERT INTO account_exports AS export (user_id, request_id, requested_at, expires_at)
       VALUES (:userId, :requestId, :now, :expiresAt)
       ON CONFLICT (user_id) DO UPDATE SET request_id = excluded.request_id, requested_at = excluded.requested_at,
         expires_at = excluded.expires_at, build_id = NULL, bytes = NULL, failed_at = NULL,
         failure = NULL, queued_at = NULL, owner_told_at = NULL,
         leased_until = NULL, begun_at = NULL
       WHERE export.build_id IS NOT NULL OR export.failed_at IS NOT NULL OR export.requested_at < :tooOld
       RETURNING request_id`,
      request,
    )) as { rows: unknown[] };
    return rows.length > 0;
  }

  /** Marks as queued again the pending ones that have stored no chunk since `silentSince`. */
  static async takeLost(
    db: Database,
    times: { now: Date; silentSince: Date },
  ): Promise<Pick<ExportRequest, 'userId' | 'requestId'>[]> {
    const { rows } = (await db.raw(
      `UPDATE account_exports AS export SET queued_at = :now
       WHERE build_id IS NULL AND failed_at IS NULL AND greatest(requested_at, queued_at) <= :silentSince
         AND NOT EXISTS (
           SELECT FROM account_export_chunks AS chunk
           WHERE chunk.user_id = export.user_id AND chunk.created_at > :silentSince
         )
       RETURNING user_id AS "userId", request_id AS "requestId"`,
      times,
    )) as { rows: Pick<ExportRequest, 'userId' | 'requestId'>[] };
    return rows;
  }
}

class ExportChunk extends Model {
  static override tableName = 'account_export_chunks';
  static override idColumn = ['build_id', 'position'];
  static override columnNameMappers = snakeCaseMappers();

  declare buildId: string;
  declare position: number;
  declare userId: string;
  declare data: Buffer;
  declare createdAt: Date;

  /** One step of the purge: chunks of no archive, and of no build that may be in progress. */
  static async purgeSome(db: Database, now: Date): Promise<number> {
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
    return rowCount;
  }
}

/** An export as its owner sees it. */
export interface AccountExport extends Pick<ExportRequest, 'requestId' | 'requestedAt' | 'expiresAt'> {
  state: 'pending' | 'ready' | 'failed';
  failure: 'too-large' | 'error';
  bytes: number;
}

/** Replaces an earlier export. Undefined while one is being built. */
export async function requestExport(db: Database, userId: string, now: Date): Promise<string | undefined> {
  const requestId = uuidv7({ msecs: now.getTime() });
  const isNew = await ExportRequest.replace(db, {
    userId,
    requestId,
    now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
    tooOld: new Date(now.getTime() - maxBuildMs),
  });
  return isNew ? requestId : undefined;
}

/** For a request that could not be queued. */
export async function cancelExport(db: Database, userId: string, requestId: string): Promise<void> {
  await ExportRequest.query(db).deleteById(userId).where({ request_id: requestId }).whereNull('build_id');
}

export async function findExport(
  db: Database,
  userId: string,
  now: Date,
): Promise<AccountExport | undefined> {
  const found = await ExportRequest.query(db).findById(userId).where('expires_at', '>', now);
  return (
    found && {
      requestId: found.requestId,
      requestedAt: found.requestedAt,
      state: found.buildId ? 'ready' : found.failedAt ? 'failed' : 'pending',
      failure: found.failure ?? 'too-large',
      bytes: found.bytes ?? 0,
      expiresAt: found.expiresAt,
    }
  );
}

export async function addExportChunk(
  db: Database,
  chunk: { buildId: string; position: number; userId: string; data: Buffer },
  now: Date,
): Promise<void> {
  await ExportChunk.query(db).insert({ ...chunk, createdAt: now });
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
  await ExportRequest.pending(db)
    .findById(userId)
    .where({ request_id: requestId })
    .patch({ buildId, bytes, builtAt: now });
}

export async function failExport(
  db: Database,
  { userId, requestId }: { userId: string; requestId: string },
  now: Date,
): Promise<void> {
  await ExportRequest.pending(db).findById(userId).where({ request_id: requestId }).patch({ failedAt: now });
}

/** The archive, chunk by chunk, each read in the turn of its owner. Ends early where it is deleted meanwhile. */
export async function* readExport(
  db: Database,
  userId: string,
  inTurn: <Value>(read: () => Promise<Value>) => Promise<Value>,
): AsyncGenerator<Buffer> {
  const { buildId } = (await ExportRequest.query(db).findById(userId)) ?? {};
  if (!buildId) return;
  for (let position = 0; ; position += 1) {
    const chunk = await inTurn(async () => ExportChunk.query(db).findById([buildId, position]));
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
    deleted = await ExportChunk.purgeSome(db, now);
  }
  return ExportRequest.query(db).where('expires_at', '<=', now).delete();
}

/** What a person has, for themselves. Nothing that signs in: no hashes or secrets. */
export async function readPersonData(db: Database, userId: string): Promise<object> {
  const ofUser = { user_id: userId };
  const account = await User.query(db)
    .findById(userId)
    .select('id', 'email', 'confirmed_email', 'is_admin as isOperator', 'language')
    .select('time_zone', 'muted_notices', 'created_at', 'updated_at');
  const sessions = await Session.query(db)
    .where(ofUser)
    .orderBy('created_at')
    .select('device', 'created_at', 'seen_at');
  const passkeys = await Passkey.query(db)
    .where(ofUser)
    .orderBy('created_at')
    .select('name', 'created_at', 'used_at');
  const identities = await Identity.query(db)
    .where(ofUser)
    .orderBy('created_at')
    .select('issuer', 'subject', 'email', 'created_at', 'last_used_at');
  const authenticatorApp = await TotpSecret.query(db).findById(userId).select('confirmed_at');
  const workspaces = (await listWorkspacesOf(db, userId)).map(({ slug, name, role }) => ({
    slug,
    name,
    role,
  }));
  return { account, workspaces, sessions, passkeys, identities, authenticatorApp: authenticatorApp ?? null };
}

/** What a workspace has besides codes and scans, for its export. No hashes, keys or secrets. */
export async function readWorkspaceData(db: Database, workspaceId: WorkspaceId): Promise<object> {
  const owned = { user_id: workspaceId };
  const { slug, name, plan, limits, createdAt } = await findWorkspace(db, workspaceId);
  const members = (await listPeople(db, workspaceId)).map(({ email, role, joinedAt }) => ({
    email,
    role,
    joinedAt,
  }));
  const apiKeys = await ApiKey.query(db)
    .where(owned)
    .orderBy('id')
    .select('name', 'prefix', 'scopes', 'created_at', 'created_by_email', 'expires_at', 'revoked_at');
  const webhooks = (await db('webhook_endpoints').where(owned).orderBy('id').select({
    id: 'id',
    name: 'name',
    url: 'url',
    events: 'events',
    codeIds: 'code_ids',
    categories: 'categories',
    isEnabled: 'is_enabled',
    createdAt: 'created_at',
    createdByEmail: 'created_by_email',
    changedByEmail: 'changed_by_email',
  })) as object[];
  return { workspace: { id: workspaceId, slug, name, plan, limits, createdAt }, members, apiKeys, webhooks };
}
