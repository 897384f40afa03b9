import type { Database } from '../../store/database.ts';
import { type Design, normalizeDesign } from '../design/design.ts';

/** Nobody else proves the code for this long: a proof takes seconds at most. */
const claimSeconds = 120;
const ownersPerRound = 50;

/** A code that a worker gives a style. */
export interface ClaimedCode {
  applicationId: string;
  codeId: string;
  keepsDesigns: boolean;
  /** As the style is now. */
  design: Design;
}

const isFree = 'is_applied IS NULL AND (claimed_until IS NULL OR claimed_until <= now())';

/** Owners of codes that wait: they take turns, so that an account with many codes does not keep others waiting. */
export async function findWaitingOwners(db: Database): Promise<string[]> {
  const { rows } = (await db.raw(
    `SELECT DISTINCT user_id FROM style_application_codes WHERE ${isFree} LIMIT ${ownersPerRound}`,
  )) as { rows: { user_id: string }[] };
  return rows.map(({ user_id: ownerId }) => ownerId);
}

/** Undefined where none of the owner's codes waits. */
export async function claimCode(db: Database, ownerId: string): Promise<ClaimedCode | undefined> {
  const { rows } = (await db.raw(
    `UPDATE style_application_codes AS waiting SET claimed_until = now() + interval '${claimSeconds} seconds'
     FROM style_applications AS application JOIN styles AS style ON style.id = application.style_id
     WHERE application.id = waiting.application_id AND (waiting.application_id, waiting.code_id) = (
       SELECT application_id, code_id FROM style_application_codes WHERE user_id = ? AND ${isFree}
       ORDER BY application_id, code_id LIMIT 1 FOR UPDATE SKIP LOCKED
     )
     RETURNING waiting.application_id, waiting.code_id, application.keeps_designs, style.design`,
    [ownerId],
  )) as { rows: { application_id: string; code_id: string; keeps_designs: boolean; design: Design }[] };
  const [row] = rows;
  return (
    row && {
      applicationId: row.application_id,
      codeId: row.code_id,
      keepsDesigns: row.keeps_designs,
      design: normalizeDesign(row.design),
    }
  );
}

type Key = Pick<ClaimedCode, 'applicationId' | 'codeId'>;

/** `reason`: why the code stays as it was. */
export async function recordOutcome(
  db: Database,
  { applicationId, codeId }: Key,
  reason: string | undefined,
): Promise<void> {
  await db('style_application_codes')
    .where({ application_id: applicationId, code_id: codeId })
    .update({ is_applied: reason === undefined, reason: reason ?? null, claimed_until: null });
}

/** For a code that is not proven because the worker shuts down. */
export async function releaseCode(db: Database, { applicationId, codeId }: Key): Promise<void> {
  await db('style_application_codes')
    .where({ application_id: applicationId, code_id: codeId, is_applied: null })
    .update({ claimed_until: null });
}
