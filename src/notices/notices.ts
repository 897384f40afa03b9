import { v7 as uuidv7 } from 'uuid';
import { dayMs, hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { leaseOn } from '../store/lease.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import type { NoticeKind } from './owners.ts';

const retryMs = 10 * 60_000;
/** Longer than handing over a mail can take, see `sendTimeoutMs`. After it, the worker that had the notice was killed. */
const leaseMs = 15 * 60_000;
/** How often a mail is repeated whose acknowledgement is lost each time. */
export const maxRepeats = 2;
/** Notices that could not be sent for this long are dropped. A silence is reported on its day only. */
const maxAgeMs: Partial<Record<NoticeKind, number>> = { silence: 4 * hourMs };
const usualMaxAgeMs = 3 * dayMs;
/** Longer than any fact can be found again. Of first scans, the code has to be gone. */
const keptMs = 90 * dayMs;

export interface Notice {
  codeId: string | null;
  data: Record<string, unknown>;
}

/** All notices of one kind about one workspace: one mail to each of its owners. */
export interface NoticeBatch {
  mailId: string;
  workspaceId: WorkspaceId;
  kind: NoticeKind;
  notices: Notice[];
  /** How often a worker was killed that may have sent it, or the server's answer was lost. */
  repeats: number;
}

/** The columns of a fact; the statement that finds facts goes on with SELECT. A fact that is known is left as it is. */
export const insertNotices = `INSERT INTO notices (user_id, kind, fact, qr_code_id, data, found_at, retry_at)`;
export const unlessKnown = 'ON CONFLICT (user_id, kind, fact) DO NOTHING';

const lease = leaseOn('notices');
const isWaitingSql = `claimed_at IS NULL AND retry_at <= :now AND ${lease.isFree}`;

/**
 * Takes the next notices to be sent, for one worker, until they are finished or released. What a killed worker had taken is
 * taken again, as the same mail. Locks the owner's row, so that two workers take different owners.
 */
export async function claimNotices(db: Database, now: Date): Promise<NoticeBatch | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const claimed = await tryToClaim(db, now);
    if (claimed !== 'taken meanwhile') return claimed;
  }
  return undefined;
}

/** Two workers may choose the same owner: the second waits for no lock, but sees the notices as they were before the first. */
const maxTries = 10;

async function tryToClaim(db: Database, now: Date): Promise<NoticeBatch | undefined | 'taken meanwhile'> {
  const newMailId = `notice-${uuidv7()}`;
  const { rows } = (await db.raw(
    `WITH owner AS MATERIALIZED (
       SELECT user_id FROM notice_checks
       WHERE user_id IN (SELECT user_id FROM notices WHERE ${isWaitingSql})
       LIMIT 1 FOR UPDATE SKIP LOCKED
     ), next AS MATERIALIZED (
       SELECT user_id, kind, mail_id FROM notices JOIN owner USING (user_id)
       WHERE ${isWaitingSql} ORDER BY kind, mail_id LIMIT 1
     ), claimed AS (
       UPDATE notices AS notice SET leased_until = ${lease.until(leaseMs)},
         mail_id = coalesce(notice.mail_id, :newMailId),
         repeats = CASE WHEN notice.mail_id IS NULL THEN 0 ELSE repeats + 1 END
       FROM next WHERE notice.user_id = next.user_id AND notice.kind = next.kind
         AND notice.mail_id IS NOT DISTINCT FROM next.mail_id AND claimed_at IS NULL AND ${lease.isFree}
       RETURNING notice.id, notice.mail_id AS "mailId", notice.user_id AS "workspaceId", notice.kind, qr_code_id AS "codeId", data,
         found_at AS "foundAt", repeats
     )
     SELECT claimed.* FROM owner LEFT JOIN claimed ON true`,
    { now, newMailId },
  )) as { rows: (Notice & Omit<NoticeBatch, 'notices'> & { id: number; foundAt: Date })[] };
  const [first] = rows;
  if (!first) return undefined;
  if ((first.id as number | null) === null) return 'taken meanwhile';
  const { mailId, workspaceId, kind, repeats } = first;
  const oldest = new Date(now.getTime() - (maxAgeMs[kind] ?? usualMaxAgeMs));
  const notices = rows.filter(({ foundAt }) => foundAt > oldest).toSorted((a, b) => a.id - b.id);
  return { mailId, workspaceId, kind, notices, repeats };
}

/** Sent, or nothing to say: for good. */
export async function finishNotices(db: Database, mailId: string, now: Date): Promise<void> {
  await lease.end(db, { mail_id: mailId }, { claimed_at: now });
}

/**
 * To be sent later. `isUnsent`: the server has certainly not accepted the mail now. Where it cannot have accepted it earlier
 * either, the notices go into another mail, with what is found meanwhile.
 */
export async function releaseNotices(
  db: Database,
  { mailId, repeats }: NoticeBatch,
  { isUnsent }: { isUnsent: boolean },
  now: Date,
): Promise<void> {
  const unsent = repeats === 0 ? { mail_id: null } : { repeats: repeats - 1 };
  const retryAt = new Date(now.getTime() + retryMs);
  await lease.end(db, { mail_id: mailId }, { retry_at: retryAt, ...(isUnsent && unsent) });
}

export async function purgeNotices(db: Database, now: Date): Promise<number> {
  const { rowCount } = (await db.raw(
    `DELETE FROM notices WHERE found_at <= :oldest
       AND (kind <> 'first-scan' OR NOT EXISTS (SELECT FROM qr_codes WHERE qr_codes.id = notices.qr_code_id))`,
    { oldest: new Date(now.getTime() - keptMs) },
  )) as { rowCount: number };
  return rowCount;
}
