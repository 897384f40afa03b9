import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { AppError, invalid } from '../../errors.ts';
import { dayMs } from '../../runtime/units.ts';
import type { Actor } from '../../store/actor.ts';
import type { Database } from '../../store/database.ts';
import { leaseOn } from '../../store/lease.ts';
import { lockOwner } from '../design/stored-logo.ts';
import { type Design, normalizeDesign } from '../design/design.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

/** Per request. */
export const maxAppliedCodes = 500;
/** Codes per account, which take minutes. */
export const maxWaitingCodes = 1_000;
const applicationLifetimeMs = 7 * dayMs;

/** Progress of a style that the worker applies to codes, without codes deleted meanwhile. */
export interface StyleApplication {
  id: string;
  styleId: string;
  createdAt: Date;
  total: number;
  waiting: number;
  applied: number;
  /** Codes that keep their design. */
  refused: { codeId: string; reason: string }[];
}

interface Wanted {
  styleId: string;
  codeIds: string[];
  /** Whether codes keep an existing design. */
  keepsDesigns: boolean;
}

/** Undefined if too many codes of the account are waiting. */
export async function addApplication(
  db: Database,
  workspaceId: WorkspaceId,
  { styleId, codeIds, keepsDesigns }: Wanted,
  now: Date,
): Promise<string | undefined> {
  const id = uuidv7({ msecs: now.getTime() });
  return db.transaction(async (transaction) => {
    // Enforces the limit for parallel requests.
    await lockOwner(transaction, workspaceId);
    const { rows } = (await transaction.raw(
      'SELECT count(*)::int AS waiting FROM style_application_codes WHERE user_id = ? AND is_applied IS NULL',
      [workspaceId],
    )) as { rows: [{ waiting: number }] };
    if (rows[0].waiting + codeIds.length > maxWaitingCodes) return undefined;
    // The style may have been deleted meanwhile.
    const added = (await transaction.raw(
      `INSERT INTO style_applications (id, user_id, style_id, keeps_designs, created_at)
       SELECT CAST(:id AS uuid), user_id, id, CAST(:keepsDesigns AS boolean), CAST(:now AS timestamptz) FROM styles
       WHERE id = :styleId AND user_id = :workspaceId FOR KEY SHARE`,
      { id, workspaceId, styleId, keepsDesigns, now },
    )) as { rowCount: number };
    if (added.rowCount === 0) throw new AppError('not_found', 'There is no such style.');
    await transaction.raw(
      `INSERT INTO style_application_codes (application_id, code_id, user_id)
       SELECT CAST(:id AS uuid), id, user_id FROM qr_codes WHERE id = ANY(CAST(:codeIds AS uuid[])) AND user_id = :workspaceId
       ORDER BY id FOR KEY SHARE`,
      { id, workspaceId, codeIds },
    );
    return id;
  });
}

/** Like `addApplication`, but throws if too many codes are waiting. */
export async function requireApplication(
  db: Database,
  workspaceId: WorkspaceId,
  wanted: Omit<Wanted, 'keepsDesigns'>,
  now: Date,
): Promise<StyleApplication> {
  const id = await addApplication(db, workspaceId, { ...wanted, keepsDesigns: false }, now);
  if (id !== undefined) return findApplication(db, workspaceId, id);
  const message = `are too many for now: at most ${maxWaitingCodes} codes of a workspace wait for a style. Try again when the others are done`;
  throw invalid([{ field: 'qrCodeIds', message }], { code: 'too_many_waiting' });
}

/** The same 404 for another owner's application, a missing one and a malformed id. */
export async function findApplication(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
): Promise<StyleApplication> {
  const query = db('style_applications').where({ id, user_id: workspaceId });
  const application = isUuid(id)
    ? ((await query.first('id', 'style_id as styleId', 'created_at as createdAt')) as
        | Pick<StyleApplication, 'id' | 'styleId' | 'createdAt'>
        | undefined)
    : undefined;
  if (!application) throw new AppError('not_found', 'There is no such application of a style.');
  const codes = (await db('style_application_codes')
    .where({ application_id: id })
    .orderBy('code_id')
    .select('code_id as codeId', 'is_applied as isApplied', 'reason')) as {
    codeId: string;
    isApplied: boolean | null;
    reason: string | null;
  }[];
  return {
    ...application,
    total: codes.length,
    waiting: codes.filter(({ isApplied }) => isApplied === null).length,
    applied: codes.filter(({ isApplied }) => isApplied).length,
    refused: codes.flatMap(({ codeId, isApplied, reason }) =>
      isApplied === false ? [{ codeId, reason: reason ?? '' }] : [],
    ),
  };
}

/** The account's latest unfinished application. */
export async function findRunningApplication(
  db: Database,
  workspaceId: WorkspaceId,
): Promise<string | undefined> {
  const row = (await db('style_application_codes')
    .where({ user_id: workspaceId })
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

/** Per kind: many new codes must not hide applications that the owner requested. */
const maxShown = 20;

/** Progress or outcome, without codes deleted meanwhile. */
export interface RecentApplication {
  id: string;
  styleName: string;
  createdAt: Date;
  /** Whether the default style is applied to new codes. */
  isForNewCodes: boolean;
  waiting: number;
  applied: number;
  refused: number;
}

const ofKind = (condition: string) => `(
  SELECT * FROM style_applications WHERE user_id = :workspaceId AND created_at > :since AND ${condition}
  ORDER BY id DESC LIMIT ${maxShown}
)`;

/** Newest first. */
export async function findRecentApplications(
  db: Database,
  workspaceId: WorkspaceId,
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
    { workspaceId, since: new Date(now.getTime() - applicationLifetimeMs) },
  )) as { rows: RecentApplication[] };
  return rows;
}

/** Lease of a claimed code. A proof takes seconds at most. */
const leaseMs = 120_000;
const ownersPerRound = 50;

export interface ClaimedCode {
  /** Who asked for it. Null: an older release did not store it. */
  actor: Actor | null;
  applicationId: string;
  codeId: string;
  keepsDesigns: boolean;
  requestedAt: Date;
  /** When an earlier application styled the code. */
  styledAt: Date | null;
  /** Current design of the style, and its colors if it has any. */
  design: Design;
  foregroundColor: string | null;
  backgroundColor: string | null;
}

const lease = leaseOn('style_application_codes', 'claimed_until');
const isFree = `is_applied IS NULL AND ${lease.isFree}`;

/**
 * Owners with waiting codes, starting after the owner whose turn was last, so that an account with many codes does not
 * keep others waiting.
 */
export async function findWaitingOwners(db: Database, last: string | undefined): Promise<WorkspaceId[]> {
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
): Promise<WorkspaceId[]> {
  const { rows } = (await db.raw(
    `SELECT DISTINCT user_id FROM style_application_codes WHERE ${isFree} ${range} ORDER BY user_id LIMIT ${limit}`,
    values,
  )) as { rows: { user_id: WorkspaceId }[] };
  return rows.map(({ user_id: workspaceId }) => workspaceId);
}

/** Undefined if none of the owner's codes is waiting. A code gets its styles one by one, in the order of the requests. */
export async function claimCode(db: Database, workspaceId: WorkspaceId): Promise<ClaimedCode | undefined> {
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
     RETURNING waiting.application_id AS "applicationId", waiting.code_id AS "codeId",
       application.keeps_designs AS "keepsDesigns", application.created_at AS "requestedAt", style.design,
       style.foreground_color AS "foregroundColor", style.background_color AS "backgroundColor", application.actor,
       (SELECT max(claimed_until) FROM style_application_codes AS done
        WHERE done.code_id = waiting.code_id AND done.is_applied) AS "styledAt"`,
    [workspaceId],
  )) as { rows: ClaimedCode[] };
  const [claimed] = rows;
  return claimed && { ...claimed, design: normalizeDesign(claimed.design) };
}

type Key = Pick<ClaimedCode, 'applicationId' | 'codeId'>;

/** Called in the transaction that saves the design. False if it must not be saved: the code is done, or the style deleted. */
export async function recordApplied(transaction: Database, key: Key, now: Date): Promise<boolean> {
  // `claimed_until` later tells whether a design came from a style.
  return finish(transaction, key, { is_applied: true, claimed_until: now });
}

/** Without `reason`, the code already has the style. */
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

/** The code is proven later: the worker shuts down, or the code has changed. */
export async function releaseCode(db: Database, key: Key): Promise<void> {
  await finish(db, key, {});
}
