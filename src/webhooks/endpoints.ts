import { Model } from 'objection';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { AppError, BusyError } from '../errors.ts';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import type { DisabledReason, EventName } from './events.ts';
import { dropPending } from './purge-deliveries.ts';
import { generateSecret, type SecretBox } from './signing.ts';
import type { Maker } from '../workspaces/made-by.ts';
import { lockWorkspace, ownedColumns, type WorkspaceId } from '../workspaces/workspace.ts';

/** After a rotation, calls are signed with both secrets for this long. */
const overlapMs = dayMs;
/** The rest is purged in the background. */
const maxDisablingMs = 2_000;
const maxEnablingMs = 5_000;

export class Endpoint extends Model {
  static override tableName = 'webhook_endpoints';
  static override columnNameMappers = ownedColumns();

  declare id: string;
  declare workspaceId: WorkspaceId;
  declare url: string;
  declare name: string;
  declare events: EventName[];
  /** With `categories` null as well: all codes. */
  declare codeIds: string[] | null;
  declare categories: string[] | null;
  declare sealedSecret: Buffer;
  declare sealedPreviousSecret: Buffer | null;
  declare previousSecretUntil: Date | null;
  declare secretKey: string;
  declare isEnabled: boolean;
  declare disabledAt: Date | null;
  declare disabledReason: DisabledReason | null;
  /** Since the last success. */
  declare failures: number;
  declare failingSince: Date | null;
  declare retryAt: Date;
  declare scansAt: Date;
  /** A worker has claimed it until then. */
  declare leasedUntil: Date | null;
  /** The host name of the URL. Null for endpoints of an earlier version. */
  declare host: string | null;
  /** When a worker last claimed it. */
  declare claimedAt: Date | null;
  /** The last call that succeeded took long, or there was none. */
  declare isSlow: boolean;
  declare ownerToldAt: Date | null;
  /** Null for endpoints of an earlier release, and those that a program has created. */
  declare createdBy: string | null;
  /** Their address at that time. */
  declare createdByEmail: string | null;
  /** Who changed it last, unless a program did. */
  declare changedBy: string | null;
  declare changedByEmail: string | null;
  declare createdAt: Date;
  declare updatedAt: Date;
}

export type EndpointInput = Pick<Endpoint, 'url' | 'name' | 'events' | 'codeIds' | 'categories'>;
export type EndpointChanges = Partial<EndpointInput & Pick<Endpoint, 'isEnabled'>>;

/** The secret is returned only here and after a rotation. `quota`: how many endpoints the account may have. */
export async function createEndpoint(
  db: Database,
  workspaceId: WorkspaceId,
  input: EndpointInput,
  { box, quota, now, maker }: { box: SecretBox; quota: number; now: Date; maker?: Maker },
): Promise<{ endpoint: Endpoint; secret: string }> {
  const secret = generateSecret();
  return db.transaction(async (transaction) => {
    // Locked, so that the quota holds for parallel requests.
    await lockWorkspace(transaction, workspaceId);
    const count = await Endpoint.query(transaction).where({ user_id: workspaceId }).resultSize();
    if (count >= quota) {
      const message = `This workspace has ${count} webhook endpoints and may have ${quota}. Delete one first, or ask the operator of this service for a higher limit.`;
      throw new AppError('validation_error', message, { code: 'quota_exceeded' });
    }
    const endpoint = await Endpoint.query(transaction)
      .insert({
        ...input,
        ...unproven(input.url),
        id: uuidv7({ msecs: now.getTime() }),
        workspaceId,
        sealedSecret: box.seal(secret),
        secretKey: box.keyName,
        createdBy: maker?.id ?? null,
        createdByEmail: maker?.email ?? null,
        createdAt: now,
        updatedAt: now,
      })
      .returning('*')
      .first()
      .throwIfNotFound();
    return { endpoint, secret };
  });
}

/** Newest first. Without a page, all: an account has few. With one, up to `limit` + 1: the extra one shows that there is a next page. */
export async function listEndpoints(
  db: Database,
  workspaceId: WorkspaceId,
  page?: { limit: number; cursor?: string | undefined },
): Promise<Endpoint[]> {
  const query = Endpoint.query(db).where({ user_id: workspaceId }).orderBy('id', 'desc');
  if (page) query.limit(page.limit + 1);
  if (page?.cursor !== undefined) query.where('id', '<', page.cursor);
  return query;
}

/** The same 404 for another owner's endpoint, a missing one and a malformed id. */
export async function findEndpoint(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  { isLocked = false } = {},
): Promise<Endpoint> {
  const query = Endpoint.query(db).findOne({ id, user_id: workspaceId });
  const endpoint = isUuid(id) ? await (isLocked ? query.forNoKeyUpdate() : query) : undefined;
  if (!endpoint) throw new AppError('not_found', 'There is no such webhook endpoint.');
  return endpoint;
}

/** Called with the stored endpoint before it changes; throws if it must not. */
type Check = (stored: Endpoint) => void;

/** Enabling it forgets its failures. What happened while it was disabled is sent only by a replay. */
export async function changeEndpoint(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  { isEnabled, ...changes }: EndpointChanges,
  now: Date,
  { check = () => undefined, maker }: { check?: Check; maker?: Maker } = {},
): Promise<Endpoint> {
  const stored = await findEndpoint(db, workspaceId, id);
  check(stored);
  const { isEnabled: wasEnabled } = stored;
  const state = isEnabled === undefined || isEnabled === wasEnabled ? {} : stateColumns(isEnabled, now);
  // What waited when it was disabled must not be sent now.
  if (state.isEnabled === true && !(await dropPending(db, id, maxEnablingMs)))
    throw new BusyError(
      'What waited for this webhook endpoint is still being removed. Try again in a minute.',
      {
        retryAfterSeconds: 60,
      },
    );
  // A new address is tried at once.
  const retry =
    changes.url === undefined
      ? {}
      : { ...unproven(changes.url), failures: 0, failingSince: null, retryAt: now };
  const changed = await db.transaction(async (transaction) => {
    check(await findEndpoint(transaction, workspaceId, id, { isLocked: true }));
    return Endpoint.query(transaction)
      .findById(id)
      .patch({ ...changes, ...retry, ...state, ...changedBy(maker), updatedAt: now })
      .returning('*')
      .first()
      .throwIfNotFound();
  });
  if (state.isEnabled === false) await dropPending(db, id, maxDisablingMs);
  return changed;
}

/** An address that has not been called yet counts as slow. */
function unproven(url: string): Pick<Endpoint, 'host' | 'isSlow'> {
  return { host: new URL(url).hostname, isSlow: true };
}

const changedBy = (maker: Maker | undefined) => ({
  changedBy: maker?.id ?? null,
  changedByEmail: maker?.email ?? null,
});

function stateColumns(isEnabled: boolean, now: Date): Partial<Endpoint> {
  if (!isEnabled) return { isEnabled, disabledAt: now, disabledReason: 'owner' };
  return {
    isEnabled,
    disabledAt: null,
    disabledReason: null,
    failures: 0,
    failingSince: null,
    retryAt: now,
  };
}

/** Calls are signed with the old secret, too, for a day. */
export async function rotateSecret(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  { box, now, check, maker }: { box: SecretBox; now: Date; check?: Check; maker?: Maker },
): Promise<{ endpoint: Endpoint; secret: string }> {
  const secret = generateSecret();
  return db.transaction(async (transaction) => {
    const current = await findEndpoint(transaction, workspaceId, id, { isLocked: true });
    check?.(current);
    const endpoint = await Endpoint.query(transaction)
      .findById(id)
      .patch({
        sealedSecret: box.seal(secret),
        sealedPreviousSecret: box.seal(box.open(current.sealedSecret)),
        previousSecretUntil: new Date(now.getTime() + overlapMs),
        secretKey: box.keyName,
        ...changedBy(maker),
        updatedAt: now,
      })
      .returning('*')
      .first()
      .throwIfNotFound();
    return { endpoint, secret };
  });
}

/** Its log and waiting events are purged in the background. */
export async function deleteEndpoint(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  check?: Check,
): Promise<void> {
  await db.transaction(async (transaction) => {
    const current = await findEndpoint(transaction, workspaceId, id, { isLocked: true });
    check?.(current);
    await Endpoint.query(transaction).deleteById(id);
  });
}

/** Encrypts again what an earlier root secret has sealed, so that it can be removed one day. */
export async function resealSecrets(db: Database, box: SecretBox): Promise<void> {
  const outdated = await Endpoint.query(db).whereNot({ secret_key: box.keyName }).limit(1_000);
  for (const { id, sealedSecret, sealedPreviousSecret } of outdated) {
    const [secret, previous] = [sealedSecret, sealedPreviousSecret].map(
      (sealed) => sealed && box.tryOpen(sealed),
    );
    // Sealed with a root secret that is not here: what can be sealed again must not wait for it.
    if (!secret) continue;
    await Endpoint.query(db)
      .where({ id, sealed_secret: sealedSecret })
      .patch({
        sealedSecret: box.seal(secret),
        sealedPreviousSecret: previous ? box.seal(previous) : null,
        secretKey: box.keyName,
      });
  }
}

const maxOwners = 100;

/**
 * Calls `tell` for each endpoint that was disabled because it failed or is gone, once for each time. If `tell` fails, a later
 * run calls it again, also if the process dies in between.
 */
export async function tellOfDisabled(
  db: Database,
  tell: (endpoint: Endpoint, transaction: Database) => Promise<void>,
  now: Date,
): Promise<void> {
  for (let told = 0; told < maxOwners; told += 1) {
    const isDone = await db.transaction(async (transaction) => {
      const endpoint = await Endpoint.query(transaction)
        .where({ is_enabled: false })
        .whereNot({ disabled_reason: 'owner' })
        // Not those from a time when mails were not sent.
        .where('disabled_at', '>', new Date(now.getTime() - dayMs))
        .whereRaw('(owner_told_at IS NULL OR owner_told_at < disabled_at)')
        .forNoKeyUpdate()
        .skipLocked()
        .first();
      if (!endpoint) return true;
      await tell(endpoint, transaction);
      await Endpoint.query(transaction).findById(endpoint.id).patch({ ownerToldAt: now });
      return false;
    });
    if (isDone) return;
  }
}
