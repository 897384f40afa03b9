import { v7 as uuidv7 } from 'uuid';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import type { NoticeKind } from './kinds.ts';

const retryMs = 10 * 60_000;
/** What could not be sent for this long is no news any more. */
const maxAgeMs = 3 * dayMs;
/** Longer than any fact can be found again. Of first scans, the code has to be gone. */
const keptMs = 90 * dayMs;

export interface Notice {
  codeId: string | null;
  data: Record<string, unknown>;
}

/** All notices of one kind to one owner: one mail. */
export interface NoticeBatch {
  mailId: string;
  userId: string;
  kind: NoticeKind;
  notices: Notice[];
}

/** The columns of a fact; the statement that finds facts goes on with SELECT. A fact that is known is left as it is. */
export const insertNotices = `INSERT INTO notices (user_id, kind, fact, qr_code_id, data, found_at, retry_at)`;
export const unlessKnown = 'ON CONFLICT (user_id, kind, fact) DO NOTHING';

/**
 * Takes the next notices to be sent, for good: after this, only `releaseNotices` gives them back. Locks the owner's row, so
 * that two workers take different owners.
 */
export async function claimNotices(db: Database, now: Date): Promise<NoticeBatch | undefined> {
  const mailId = `notice-${uuidv7()}`;
  const { rows } = (await db.raw(
    `WITH owner AS MATERIALIZED (
       SELECT user_id FROM notice_checks
       WHERE user_id IN (SELECT user_id FROM notices WHERE claimed_at IS NULL AND retry_at <= :now)
       LIMIT 1 FOR UPDATE SKIP LOCKED
     ), next AS MATERIALIZED (
       SELECT user_id, min(kind) AS kind FROM notices JOIN owner USING (user_id)
       WHERE claimed_at IS NULL AND retry_at <= :now GROUP BY user_id
     )
     UPDATE notices AS notice SET claimed_at = :now, mail_id = :mailId
     FROM next WHERE notice.user_id = next.user_id AND notice.kind = next.kind AND claimed_at IS NULL
     RETURNING notice.id, notice.user_id AS "userId", notice.kind, qr_code_id AS "codeId", data,
       found_at > :oldest AS "isNews"`,
    { now, mailId, oldest: new Date(now.getTime() - maxAgeMs) },
  )) as { rows: (Notice & { id: number; userId: string; kind: NoticeKind; isNews: boolean })[] };
  const [first] = rows;
  return (
    first && {
      mailId,
      userId: first.userId,
      kind: first.kind,
      notices: rows.filter(({ isNews }) => isNews).toSorted((a, b) => a.id - b.id),
    }
  );
}

/** Only where the mail was certainly not accepted. */
export async function releaseNotices(db: Database, mailId: string, now: Date): Promise<void> {
  await db('notices')
    .where({ mail_id: mailId })
    .update({ claimed_at: null, mail_id: null, retry_at: new Date(now.getTime() + retryMs) });
}

export async function purgeNotices(db: Database, now: Date): Promise<number> {
  const { rowCount } = (await db.raw(
    `DELETE FROM notices WHERE found_at <= :oldest
       AND (kind <> 'first-scan' OR NOT EXISTS (SELECT FROM qr_codes WHERE qr_codes.id = notices.qr_code_id))`,
    { oldest: new Date(now.getTime() - keptMs) },
  )) as { rowCount: number };
  return rowCount;
}
