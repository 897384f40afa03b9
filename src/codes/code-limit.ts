import { AppError } from '../errors.ts';
import { type LimitedAccount, limitsOf, type PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';

/** With more rows, the next code that is created adds them up to one. */
const maxRows = 50;

/** How many codes an account has. Triggers count them, so that nobody has to. */
export async function countOwnCodes(db: Database, ownerId: string): Promise<number> {
  return (await readCount(db, ownerId)).codes;
}

/** Throws where the account may not have so many more codes. Call it before expensive work; `lockRoomForCodes` decides. */
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

/** Throws where the account may not have so many more codes. Nobody else creates any until the transaction ends. */
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

/** One statement, so that whoever reads meanwhile sees the same sum. Deleted codes may add rows at the same time. */
async function addUp(transaction: Database, ownerId: string): Promise<void> {
  await transaction.raw(
    `WITH former AS (DELETE FROM code_counts WHERE user_id = :ownerId RETURNING codes)
     INSERT INTO code_counts (user_id, codes) SELECT :ownerId, sum(codes) FROM former`,
    { ownerId },
  );
}
