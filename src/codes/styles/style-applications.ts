import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { AppError, invalid } from '../../errors.ts';
import { dayMs } from '../../runtime/units.ts';
import type { Database } from '../../store/database.ts';
import { lockOwner } from '../logo/stored-logo.ts';
import { type Design, normalizeDesign } from '../design/design.ts';

/** Of one request. */
export const maxAppliedCodes = 500;
/** Codes of an account that wait for a style: minutes of work. */
export const maxWaitingCodes = 1_000;
/** How long the outcome can be read. */
export const applicationLifetimeMs = 7 * dayMs;

/** A style that the worker applies to codes, and how far it is. Codes that were deleted meanwhile do not count. */
export interface StyleApplication {
  id: string;
  styleId: string;
  createdAt: Date;
  total: number;
  waiting: number;
  applied: number;
  /** Codes that stay as they were. */
  refused: { codeId: string; reason: string }[];
}

interface Wanted {
  styleId: string;
  codeIds: string[];
  /** Whether a code that has a design keeps it. */
  keepsDesigns: boolean;
}

/** Undefined where too many codes of the account wait. */
export async function addApplication(
  db: Database,
  ownerId: string,
  { styleId, codeIds, keepsDesigns }: Wanted,
  now: Date,
): Promise<string | undefined> {
  const id = uuidv7({ msecs: now.getTime() });
  return db.transaction(async (transaction) => {
    // The number of codes holds for parallel requests.
    await lockOwner(transaction, ownerId);
    const { rows } = (await transaction.raw(
      'SELECT count(*)::int AS waiting FROM style_application_codes WHERE user_id = ? AND is_applied IS NULL',
      [ownerId],
    )) as { rows: [{ waiting: number }] };
    if (rows[0].waiting + codeIds.length > maxWaitingCodes) return undefined;
    // The style may have been deleted meanwhile.
    const added = (await transaction.raw(
      `INSERT INTO style_applications (id, user_id, style_id, keeps_designs, created_at)
       SELECT CAST(:id AS uuid), user_id, id, CAST(:keepsDesigns AS boolean), CAST(:now AS timestamptz) FROM styles
       WHERE id = :styleId AND user_id = :ownerId FOR KEY SHARE`,
      { id, ownerId, styleId, keepsDesigns, now },
    )) as { rowCount: number };
    if (added.rowCount === 0) throw new AppError('not_found', 'There is no such style.');
    await transaction.raw(
      `INSERT INTO style_application_codes (application_id, code_id, user_id)
       SELECT CAST(:id AS uuid), id, user_id FROM qr_codes WHERE id = ANY(CAST(:codeIds AS uuid[])) AND user_id = :ownerId
       ORDER BY id FOR KEY SHARE`,
      { id, ownerId, codeIds },
    );
    return id;
  });
}

/** For requests of their own: the error says when to try again. */
export async function requireApplication(
  db: Database,
  ownerId: string,
  wanted: Omit<Wanted, 'keepsDesigns'>,
  now: Date,
): Promise<StyleApplication> {
  const id = await addApplication(db, ownerId, { ...wanted, keepsDesigns: false }, now);
  if (id !== undefined) return findApplication(db, ownerId, id);
  const message = `are too many for now: at most ${maxWaitingCodes} codes of an account wait for a style. Try again when the others are done`;
  throw invalid([{ field: 'qrCodeIds', message }], { code: 'too_many_waiting' });
}

interface CodeRow {
  code_id: string;
  is_applied: boolean | null;
  reason: string | null;
}

/** The same 404 for another owner's, a missing one and a malformed id. */
export async function findApplication(db: Database, ownerId: string, id: string): Promise<StyleApplication> {
  const row = isUuid(id)
    ? ((await db('style_applications').where({ id, user_id: ownerId }).first()) as
        | { id: string; style_id: string; created_at: Date }
        | undefined)
    : undefined;
  if (!row) throw new AppError('not_found', 'There is no such application of a style.');
  const codes = (await db('style_application_codes')
    .where({ application_id: id })
    .orderBy('code_id')
    .select('code_id', 'is_applied', 'reason')) as CodeRow[];
  const refused = codes.filter(({ is_applied: isApplied }) => isApplied === false);
  return {
    id: row.id,
    styleId: row.style_id,
    createdAt: row.created_at,
    total: codes.length,
    waiting: codes.filter(({ is_applied: isApplied }) => isApplied === null).length,
    applied: codes.filter(({ is_applied: isApplied }) => isApplied === true).length,
    refused: refused.map(({ code_id: codeId, reason }) => ({ codeId, reason: reason ?? '' })),
  };
}

/** The latest of the account that is not done, for its pages. */
export async function findRunningApplication(db: Database, ownerId: string): Promise<string | undefined> {
  const row = (await db('style_application_codes')
    .where({ user_id: ownerId })
    .whereNull('is_applied')
    .orderBy('application_id', 'desc')
    .first('application_id')) as { application_id: string } | undefined;
  return row?.application_id;
}

export async function purgeApplications(db: Database, now: Date): Promise<number> {
  return db('style_applications')
    .where('created_at', '<=', new Date(now.getTime() - applicationLifetimeMs))
    .delete();
}

/** Of each kind: many new codes must not hide what the owner has asked for. */
const maxShown = 20;

/** How an application of a style ended, or how far it is. Codes that were deleted meanwhile do not count. */
export interface RecentApplication {
  id: string;
  styleName: string;
  createdAt: Date;
  /** Whether it is the default style of new codes, which nobody selected. */
  isForNewCodes: boolean;
  waiting: number;
  applied: number;
  refused: number;
}

const ofKind = (condition: string) => `(
  SELECT * FROM style_applications WHERE user_id = :ownerId AND created_at > :since AND ${condition}
  ORDER BY id DESC LIMIT ${maxShown}
)`;

/** Newest first. They are kept for seven days. */
export async function findRecentApplications(
  db: Database,
  ownerId: string,
  now: Date,
): Promise<RecentApplication[]> {
  const { rows } = (await db.raw(
    `SELECT recent.id, style.name AS "styleName", recent.created_at AS "createdAt",
       recent.keeps_designs AS "isForNewCodes", waiting, applied, refused
     FROM (${ofKind('keeps_designs')} UNION ALL ${ofKind('NOT keeps_designs')}) AS recent
     JOIN styles AS style ON style.id = recent.style_id
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE is_applied IS NULL)::int AS waiting,
         count(*) FILTER (WHERE is_applied)::int AS applied,
         count(*) FILTER (WHERE NOT is_applied)::int AS refused
       FROM style_application_codes WHERE application_id = recent.id
     ) AS codes
     ORDER BY recent.id DESC`,
    { ownerId, since: new Date(now.getTime() - applicationLifetimeMs) },
  )) as { rows: RecentApplication[] };
  return rows;
}

/** Nobody else proves the code for this long: a proof takes seconds at most. */
const claimSeconds = 120;
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

const isFree = 'is_applied IS NULL AND (claimed_until IS NULL OR claimed_until <= now())';

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
    `UPDATE style_application_codes AS waiting SET claimed_until = now() + interval '${claimSeconds} seconds'
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
  await finish(db, key, { is_applied: reason === null, reason, claimed_until: null });
}

async function finish(db: Database, { applicationId, codeId }: Key, outcome: object): Promise<boolean> {
  const finished = await db('style_application_codes')
    .where({ application_id: applicationId, code_id: codeId, is_applied: null })
    .update(outcome);
  return finished > 0;
}

/** For a code that is proven later: the worker shuts down, or the code has changed meanwhile. */
export async function releaseCode(db: Database, { applicationId, codeId }: Key): Promise<void> {
  await db('style_application_codes')
    .where({ application_id: applicationId, code_id: codeId, is_applied: null })
    .update({ claimed_until: null });
}
