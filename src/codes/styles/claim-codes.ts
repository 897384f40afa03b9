import type { Database } from '../../store/database.ts';
import { leaseOn } from '../../store/lease.ts';
import { type Design, normalizeDesign } from '../design/design.ts';

/** Nobody else proves the code for this long: a proof takes seconds at most. */
const leaseMs = 120_000;
const ownersPerRound = 50;

/** A code that a worker gives a style. */
export interface ClaimedCode {
  applicationId: string;
  codeId: string;
  keepsDesigns: boolean;
  requestedAt: Date;
  /** When an earlier application gave the code its style. */
  styledAt: Date | null;
  /** As the style is now. */
  design: Design;
}

const lease = leaseOn('style_application_codes', 'claimed_until');
const isFree = `is_applied IS NULL AND ${lease.isFree}`;

/**
 * Owners of codes that wait: they take turns, so that an account with many codes does not keep others waiting. Starts with
 * those after the owner whose turn was last.
 */
export async function findWaitingOwners(db: Database, last: string | undefined): Promise<string[]> {
  if (last === undefined) return waitingOwners(db, '', [], ownersPerRound);
  const next = await waitingOwners(db, 'AND user_id > ?', [last], ownersPerRound);
  const first = await waitingOwners(db, 'AND user_id <= ?', [last], ownersPerRound - next.length);
  return [...next, ...first];
}

async function waitingOwners(
  db: Database,
  range: string,
  values: string[],
  limit: number,
): Promise<string[]> {
  const { rows } = (await db.raw(
    `SELECT DISTINCT user_id FROM style_application_codes WHERE ${isFree} ${range} ORDER BY user_id LIMIT ${limit}`,
    values,
  )) as { rows: { user_id: string }[] };
  return rows.map(({ user_id: ownerId }) => ownerId);
}

interface ClaimedRow {
  application_id: string;
  code_id: string;
  keeps_designs: boolean;
  created_at: Date;
  styled_at: Date | null;
  design: Design;
}

/** Undefined where none of the owner's codes waits. A code gets its styles in the order of the requests, one by one. */
export async function claimCode(db: Database, ownerId: string): Promise<ClaimedCode | undefined> {
  const { rows } = (await db.raw(
    `UPDATE style_application_codes AS waiting SET claimed_until = ${lease.until(leaseMs)}
     FROM style_applications AS application JOIN styles AS style ON style.id = application.style_id
     WHERE application.id = waiting.application_id AND (waiting.application_id, waiting.code_id) = (
       SELECT application_id, code_id FROM style_application_codes AS next WHERE user_id = ? AND ${isFree}
         AND NOT EXISTS (
           SELECT FROM style_application_codes AS earlier
           WHERE earlier.code_id = next.code_id AND earlier.application_id < next.application_id
             AND earlier.is_applied IS NULL
         )
       ORDER BY application_id, code_id LIMIT 1 FOR UPDATE SKIP LOCKED
     )
     RETURNING waiting.application_id, waiting.code_id, application.keeps_designs, application.created_at, style.design,
       (SELECT max(claimed_until) FROM style_application_codes AS done
        WHERE done.code_id = waiting.code_id AND done.is_applied) AS styled_at`,
    [ownerId],
  )) as { rows: ClaimedRow[] };
  const [row] = rows;
  return (
    row && {
      applicationId: row.application_id,
      codeId: row.code_id,
      keepsDesigns: row.keeps_designs,
      requestedAt: row.created_at,
      styledAt: row.styled_at,
      design: normalizeDesign(row.design),
    }
  );
}

type Key = Pick<ClaimedCode, 'applicationId' | 'codeId'>;

/** In the transaction that saves the design. False where it is no longer to be saved: the code is done, or the style deleted. */
export async function recordApplied(transaction: Database, key: Key, now: Date): Promise<boolean> {
  // The end of the claim says later which design is that of a style.
  return finish(transaction, key, { is_applied: true, claimed_until: now });
}

/** Without `reason`, the code has what was asked for. */
export async function recordUnchanged(db: Database, key: Key, reason: string | null): Promise<void> {
  await finish(db, key, { is_applied: reason === null, reason });
}

async function finish(
  db: Database,
  { applicationId, codeId }: Key,
  outcome: Record<string, unknown>,
): Promise<boolean> {
  const held = { application_id: applicationId, code_id: codeId, is_applied: null };
  return (await lease.end(db, held, outcome)) > 0;
}

/** For a code that is proven later: the worker shuts down, or the code has changed meanwhile. */
export async function releaseCode(db: Database, { applicationId, codeId }: Key): Promise<void> {
  await finish(db, { applicationId, codeId }, {});
}
