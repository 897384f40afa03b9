import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { customAlphabet } from 'nanoid';
import { Model } from 'objection';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { AppError } from '../errors.ts';
import { hourMs } from '../runtime/units.ts';
import { type Database, inTransaction } from '../store/database.ts';
import type { KeyScopes } from './key-scopes.ts';
import { countRequest, RequestWindow, resetAt } from './request-windows.ts';
import { digestOf } from './secrets.ts';
import { isActiveKeySql } from './users.ts';
import { anonymousHourlyQuota, type PlanLimits } from '../limits.ts';
import type { Maker } from '../workspaces/made-by.ts';
import {
  isWorkspaceBlockedSql,
  lockWorkspace,
  ownedColumns,
  type WorkspaceId,
} from '../workspaces/workspace.ts';

/** The rate limit of a key or an address, after a request. */
export interface RateWindow {
  limit: number;
  used: number;
  remaining: number;
  /** Milliseconds until a refused caller can try again, or until the oldest request leaves the window. */
  resetInMs: number;
  /** The same by the database's clock: Unix time in whole seconds, rounded up. */
  resetAt: number;
}

export interface Authentication {
  /** Undefined without a valid key. */
  workspaceId: WorkspaceId | undefined;
  /** The valid key. */
  key: { id: string; name: string } | undefined;
  /** The key is valid, but an operator has blocked its workspace. */
  isBlocked: boolean;
  scopes: KeyScopes;
  /** Milliseconds until the key expires. Infinity where it does not. */
  expiresInMs: number;
  /** False where the rate limit is exceeded. */
  isAllowed: boolean;
  window: RateWindow;
}

/** What a key may do, and until when. */
export interface KeyGrant {
  scopes: KeyScopes;
  /** Null: it does not expire. */
  expiresAt: Date | null;
}

const everything: KeyGrant = { scopes: null, expiresAt: null };

/**
 * What is stored of a secret. The hash of a key with limits is hashed again: the previous release does not know the limits, and so
 * refuses the key instead of letting it do everything.
 */
export function storedHash(secretHash: Buffer, { scopes, expiresAt }: KeyGrant): Buffer {
  return scopes === null && expiresAt === null ? secretHash : digestOf(secretHash);
}

export class ApiKey extends Model {
  static override tableName = 'api_keys';
  static override columnNameMappers = ownedColumns();

  declare id: string;
  declare workspaceId: WorkspaceId;
  declare name: string;
  declare prefix: string;
  declare secretHash: Buffer;
  /** Null for keys of an earlier release and of the command line. */
  declare createdBy: string | null;
  /** Their address at that time. */
  declare createdByEmail: string | null;
  declare createdAt: Date;
  declare revokedAt: Date | null;
  declare scopes: KeyScopes;
  declare expiresAt: Date | null;
  /** Older than the window of the key, if that exists: see `purgeOldWindows`. */
  declare lastUsedAt: Date | null;

  stateAt(now: Date): 'active' | 'revoked' | 'expired' {
    if (this.revokedAt) return 'revoked';
    return this.expiresAt && this.expiresAt <= now ? 'expired' : 'active';
  }

  /**
   * Authenticates a key and counts one request against its rate limit, in one statement. Without a valid key the request
   * counts against the client's (hashed) address.
   */
  static async authenticate(
    db: Database,
    key: ParsedApiKey | undefined,
    address: string,
    limits: PlanLimits,
  ): Promise<Authentication> {
    const { rows } = (await db.raw(authenticateSql, {
      prefix: key?.prefix ?? '',
      secretHash: key?.secretHash ?? Buffer.alloc(0),
      nonce: randomBytes(16),
      quotas: JSON.stringify({ free: limits.free.requestsPerHour, pro: limits.pro.requestsPerHour }),
      anonymousQuota: anonymousHourlyQuota,
      address,
    })) as { rows: [AuthenticationRow] };
    const [row] = rows;
    return {
      workspaceId: row.workspace_id ?? undefined,
      key: row.key_id === null ? undefined : { id: row.key_id, name: row.key_name ?? '' },
      isBlocked: row.is_blocked ?? false,
      scopes: row.scopes,
      expiresInMs: row.expires_at === null ? Infinity : (row.expires_at - row.checked_at) * 1000,
      isAllowed: row.is_allowed,
      window: toWindow(row),
    };
  }
}

interface AuthenticationRow {
  workspace_id: WorkspaceId | null;
  key_id: string | null;
  key_name: string | null;
  is_blocked: boolean | null;
  scopes: KeyScopes;
  expires_at: number | null;
  quota: number;
  is_allowed: boolean;
  used: number;
  reset_at: number;
  checked_at: number;
}

// Both sides are hashed with a nonce before they are compared: the time of the comparison reveals nothing of the stored hash.
const authenticateSql = `
  WITH caller AS (
    SELECT k.id AS key_id, k.name AS key_name, k.scopes, k.expires_at, w.id AS workspace_id, ${isWorkspaceBlockedSql('w.id')} AS is_blocked,
           coalesce((w.limits ->> 'requestsPerHour')::int, (CAST(:quotas AS jsonb) ->> w.plan)::int) AS own_quota
    FROM api_keys k JOIN workspaces w ON w.id = k.user_id
    WHERE k.prefix = :prefix
      AND ${isActiveKeySql('k')}
      AND sha256(k.secret_hash || CAST(:nonce AS bytea)) = sha256(
        CASE WHEN k.scopes IS NULL AND k.expires_at IS NULL THEN CAST(:secretHash AS bytea)
             ELSE sha256(CAST(:secretHash AS bytea)) END || CAST(:nonce AS bytea))
  ), limits AS (
    SELECT coalesce('key:' || (SELECT key_id FROM caller), 'address:' || CAST(:address AS text)) AS subject,
           coalesce((SELECT own_quota FROM caller), CAST(:anonymousQuota AS int)) AS quota
  ), counted AS (${countRequest('limits')})
  SELECT workspace_id, key_id, key_name, is_blocked, scopes, extract(epoch FROM expires_at)::float8 AS expires_at,
         quota, admitted AS is_allowed, cardinality(recent) AS used,
         extract(epoch FROM ${resetAt})::float8 AS reset_at,
         extract(epoch FROM checked_at)::float8 AS checked_at
  FROM limits CROSS JOIN counted LEFT JOIN caller ON true`;

function toWindow(row: AuthenticationRow): RateWindow {
  return {
    limit: row.quota,
    used: row.used,
    remaining: Math.max(0, row.quota - row.used),
    resetInMs: Math.max(0, (row.reset_at - row.checked_at) * 1000),
    resetAt: Math.ceil(row.reset_at),
  };
}

/** Returns the whole key, which is shown once: only its prefix and a hash are stored. */
export async function createApiKey(
  db: Database,
  workspaceId: WorkspaceId,
  name: string,
  now: Date,
  { scopes, expiresAt }: KeyGrant = everything,
  maker?: Maker,
): Promise<string> {
  const { key, prefix, secretHash } = generateApiKey();
  await inTransaction(db, async (transaction) =>
    ApiKey.query(transaction).insert({
      id: uuidv7({ msecs: now.getTime() }),
      workspaceId,
      name,
      prefix,
      secretHash: storedHash(secretHash, { scopes, expiresAt }),
      scopes,
      expiresAt,
      createdBy: maker?.id ?? null,
      createdByEmail: maker?.email ?? null,
      createdAt: now,
    }),
  );
  return key;
}

/** Each key has its own hourly quota: without this bound, and one of active keys, an account would have no limit. */
export const keysPerHour = 10;

type KeyCreation = { key: string } | { refused: 'active' } | { refused: 'hourly'; retryAfterSeconds: number };

/** For owners. The workspace is locked while the limits are checked, so that they hold for parallel requests. */
export async function createOwnKey(
  db: Database,
  workspaceId: WorkspaceId,
  name: string,
  { maxActive, now, maker, ...grant }: KeyGrant & { maxActive: number; now: Date; maker: Maker },
): Promise<KeyCreation> {
  return db.transaction(async (transaction) => {
    await lockWorkspace(transaction, workspaceId);
    // A separate statement, so that its snapshot includes what the previous holder of the lock committed.
    const { rows } = (await transaction.raw(
      `SELECT count(*) FILTER (WHERE ${isActiveKeySql('k')}) AS active,
              (array_agg(created_at ORDER BY created_at DESC))[:max] AS oldest
       FROM api_keys AS k WHERE user_id = :workspaceId AND (${isActiveKeySql('k')} OR created_at > :since)`,
      { workspaceId, max: keysPerHour, since: new Date(now.getTime() - hourMs) },
    )) as { rows: [{ active: number; oldest: Date | null }] };
    const [{ active, oldest }] = rows;
    if (active >= maxActive) return { refused: 'active' };
    const waitMs = oldest ? oldest.getTime() + hourMs - now.getTime() : 0;
    if (waitMs > 0) return { refused: 'hourly', retryAfterSeconds: Math.ceil(waitMs / 1000) };
    return { key: await createApiKey(transaction, workspaceId, name, now, grant, maker) };
  });
}

export async function listApiKeys(db: Database, workspaceId: WorkspaceId): Promise<ApiKey[]> {
  return ApiKey.query(db).where({ user_id: workspaceId }).orderBy('id');
}

export async function revokeApiKey(db: Database, prefix: string, now: Date): Promise<ApiKey> {
  return inTransaction(db, async (transaction) => {
    const key = await ApiKey.query(transaction).findOne({ prefix });
    if (!key) throw new AppError('not_found', `There is no key with the prefix ${prefix}`);
    if (!key.revokedAt) await key.$query(transaction).patch({ revokedAt: now });
    return key;
  });
}

interface KeyUse {
  key: ApiKey;
  /** Requests of the last hour. */
  used: number;
  lastUsedAt: Date | undefined;
}

/** The keys of a user, newest first, with the use of each. */
export async function listKeyUse(db: Database, workspaceId: WorkspaceId): Promise<KeyUse[]> {
  const keys = await ApiKey.query(db).where({ user_id: workspaceId }).orderBy('id', 'desc');
  const windows = await RequestWindow.use(
    db,
    keys.map(({ id }) => `key:${id}`),
  );
  return keys.map((key) => {
    const window = windows.get(`key:${key.id}`);
    const lastUsedAt = window?.lastUsedAt ?? key.lastUsedAt ?? undefined;
    return { key, used: window?.used ?? 0, lastUsedAt };
  });
}

/** False for another user's key, as for one that does not exist. */
export async function revokeOwnKey(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  now: Date,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  return inTransaction(db, async (transaction) => {
    const key = await ApiKey.query(transaction).findOne({ id, user_id: workspaceId });
    if (key && !key.revokedAt) await key.$query(transaction).patch({ revokedAt: now });
    return key !== undefined;
  });
}

/** False for another user's key, as for one that does not exist. */
export async function renameOwnKey(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  name: string,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  return inTransaction(
    db,
    async (transaction) =>
      (await ApiKey.query(transaction).where({ id, user_id: workspaceId }).patch({ name })) > 0,
  );
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomPrefix = customAlphabet(base62, 8);
const randomSecret = customAlphabet(base62, 32);
const keyPattern = /^qrl_([0-9A-Za-z]{8})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export interface ParsedApiKey {
  prefix: string;
  secretHash: Buffer;
}

/** `qrl_<prefix>_<secret>`: the secret ends in a checksum of the whole, so a mistyped key is refused without a query. */
export function generateApiKey(): ParsedApiKey & { key: string } {
  const prefix = randomPrefix();
  const random = randomSecret();
  const secret = random + checksum(prefix + random);
  return { key: `qrl_${prefix}_${secret}`, prefix, secretHash: digestOf(secret) };
}

/** Checks the form and the checksum only; whether the key exists is for the database. */
export function parseApiKey(key: string): ParsedApiKey | undefined {
  const [, prefix, random, sum] = keyPattern.exec(key) ?? [];
  if (!prefix || !random || sum !== checksum(prefix + random)) return undefined;
  return { prefix, secretHash: digestOf(random + sum) };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** What works without a password, until its owner ends it. */
export interface ProgramAccess {
  keys: number;
  webhooks: number;
}

export const hasAccess = ({ keys, webhooks }: ProgramAccess) => keys + webhooks > 0;

/**
 * What programs can do in the name of a person, as SQL for keys and webhooks: everything of the workspaces of which nobody else is
 * an owner, and what the person has created elsewhere.
 */
const isOfPersonSql = `(created_by = CAST(:userId AS uuid) OR user_id IN (
  SELECT own.workspace_id FROM workspace_members AS own
  WHERE own.user_id = :userId AND own.role = 'owner' AND NOT EXISTS (
    SELECT FROM workspace_members AS other
    WHERE other.workspace_id = own.workspace_id AND other.role = 'owner' AND other.user_id <> own.user_id
  )
))`;

export async function countAccess(db: Database, userId: string): Promise<ProgramAccess> {
  const { rows } = (await db.raw(
    `SELECT (SELECT count(*) FROM api_keys AS k WHERE ${isOfPersonSql} AND ${isActiveKeySql('k')})::int AS keys,
            (SELECT count(*) FROM webhook_endpoints WHERE ${isOfPersonSql} AND is_enabled)::int AS webhooks`,
    { userId },
  )) as { rows: [ProgramAccess] };
  return rows[0];
}

/** Revokes API keys and disables webhooks. What waits for these is purged by housekeeping. Returns how many there were. */
export async function revokeAccess(db: Database, userId: string, now: Date): Promise<ProgramAccess> {
  return inTransaction(db, async (transaction) => {
    const { rowCount: keys } = (await transaction.raw(
      `UPDATE api_keys AS k SET revoked_at = :now WHERE ${isOfPersonSql} AND ${isActiveKeySql('k')}`,
      { userId, now },
    )) as { rowCount: number };
    const { rowCount: webhooks } = (await transaction.raw(
      `UPDATE webhook_endpoints SET is_enabled = false, disabled_at = :now, disabled_reason = 'owner'
     WHERE ${isOfPersonSql} AND is_enabled`,
      { userId, now },
    )) as { rowCount: number };
    return { keys, webhooks };
  });
}
