import { AppError } from '../errors.ts';
import { type LimitedAccount, limitsOf, type PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';

/** Above this, creating a code sums the rows up into one. */
const maxRows = 50;

/** Reads the counters that triggers maintain. */
export async function countOwnCodes(db: Database, ownerId: string): Promise<number> {
  return (await readCount(db, ownerId)).codes;
}

/** Throws if the codes would exceed the account's limit. A cheap check before expensive work; `lockRoomForCodes` decides. */
export async function requireRoomForCodes(
  db: Database,
  ownerId: string,
  added: number,
  limits: PlanLimits,
): Promise<void> {
  const owner = (await db('users').where({ id: ownerId }).first('plan', 'limits')) as
    | LimitedAccount
    | undefined;
  if (owner) requireRoom(await countOwnCodes(db, ownerId), added, limitsOf(owner, limits).codes);
}

/** Throws if the codes would exceed the account's limit. Holds off other creations until the transaction ends. */
export async function lockRoomForCodes(
  transaction: Database,
  ownerId: string,
  added: number,
  limits: PlanLimits,
): Promise<void> {
  const owner = (await transaction('users')
    .where({ id: ownerId })
    .forNoKeyUpdate()
    .first('plan', 'limits')) as LimitedAccount | undefined;
  if (!owner) throw new AppError('not_found', 'The account was deleted.');
  // A separate statement, so that its snapshot includes what the previous holder of the lock committed.
  const { codes, rows } = await readCount(transaction, ownerId);
  requireRoom(codes, added, limitsOf(owner, limits).codes);
  if (rows > maxRows) await addUp(transaction, ownerId);
}

function requireRoom(codes: number, added: number, limit: number): void {
  if (codes + added <= limit) return;
  const rest = added === 1 ? 'another one does' : `${added} more do`;
  throw new AppError(
    'validation_error',
    `This account has ${codes} ${codes === 1 ? 'QR code' : 'QR codes'} and may have ${limit}: ${rest} not fit. Delete codes that you no longer need, or ask the operator of this service for a higher limit.`,
    { code: 'quota_exceeded' },
  );
}

async function readCount(db: Database, ownerId: string): Promise<{ codes: number; rows: number }> {
  const { rows } = (await db.raw(
    'SELECT coalesce(sum(codes), 0)::int AS codes, count(*)::int AS rows FROM code_counts WHERE user_id = ?',
    [ownerId],
  )) as { rows: [{ codes: number; rows: number }] };
  return rows[0];
}

/** One statement, so that concurrent readers see the same sum. Deletions may add rows meanwhile. */
async function addUp(transaction: Database, ownerId: string): Promise<void> {
  await transaction.raw(
    `WITH former AS (DELETE FROM code_counts WHERE user_id = :ownerId RETURNING codes)
     INSERT INTO code_counts (user_id, codes) SELECT :ownerId, sum(codes) FROM former`,
    { ownerId },
  );
}
