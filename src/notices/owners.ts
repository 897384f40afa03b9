import type { Database } from '../store/database.ts';

/** Somebody who gets notices: the address is confirmed, and the account not blocked. */
export interface Owner {
  id: string;
  timeZone: string | null;
  /** First scans before are no news. */
  since: Date;
}

const checkEveryMs = 9 * 60_000;
const ownersPerStep = 20;

/** Whether the owner can be written to, as SQL for `users AS owner`. */
export const isReachableSql = `lower(owner.confirmed_email) = lower(owner.email)
  AND NOT EXISTS (SELECT FROM blocks WHERE kind = 'account' AND value = owner.id::text)`;

/** Owners whose address was confirmed since the last run. */
export async function addOwners(db: Database, now: Date): Promise<void> {
  await db.raw(
    `INSERT INTO notice_checks (user_id, since, checked_at)
     SELECT id, :now, '-infinity' FROM users AS owner
     WHERE ${isReachableSql} AND NOT EXISTS (SELECT FROM notice_checks WHERE user_id = owner.id)
     ON CONFLICT DO NOTHING`,
    { now },
  );
}

/** The next owners whose codes are to be looked at; no other worker gets them. Undefined: all have been. */
export async function claimOwners(db: Database, now: Date): Promise<Owner[] | undefined> {
  const { rows } = (await db.raw(
    `UPDATE notice_checks AS known SET checked_at = :now
     FROM users AS owner
     WHERE owner.id = known.user_id AND known.user_id IN (
       SELECT user_id FROM notice_checks WHERE checked_at <= :due
       ORDER BY checked_at LIMIT ${ownersPerStep} FOR UPDATE SKIP LOCKED
     )
     RETURNING owner.id, owner.time_zone AS "timeZone", known.since, (${isReachableSql}) AS "isReachable"`,
    { now, due: new Date(now.getTime() - checkEveryMs) },
  )) as { rows: (Owner & { isReachable: boolean })[] };
  return rows.length === 0 ? undefined : rows.filter(({ isReachable }) => isReachable);
}

export interface Recipient {
  email: string;
  language: string | null;
  timeZone: string | null;
}

/** Undefined where the owner cannot be written to, or has switched these notices off. */
export async function findRecipient(
  db: Database,
  userId: string,
  kind: NoticeKind,
): Promise<Recipient | undefined> {
  const { rows } = (await db.raw(
    `SELECT email, language, time_zone AS "timeZone" FROM users AS owner
     WHERE id = :userId AND ${isReachableSql} AND NOT coalesce(:kind = ANY(muted_notices), false)`,
    { userId, kind },
  )) as { rows: Recipient[] };
  return rows[0];
}

export async function readMutedNotices(db: Database, userId: string): Promise<string[]> {
  const row = (await db('users').where({ id: userId }).first('muted_notices')) as
    | { muted_notices: string[] | null }
    | undefined;
  return row?.muted_notices ?? [];
}

export async function setMutedNotices(db: Database, userId: string, kinds: NoticeKind[]): Promise<void> {
  await db('users').where({ id: userId }).update({ muted_notices: kinds });
}

/** False where there is no such account. Safe to repeat. */
export async function muteNotice(db: Database, userId: string, kind: NoticeKind): Promise<boolean> {
  const { rowCount } = (await db.raw(
    `UPDATE users SET muted_notices = array_append(array_remove(muted_notices, :kind), :kind) WHERE id = :userId`,
    { userId, kind },
  )) as { rowCount: number };
  return rowCount > 0;
}

/** Kinds of mails to owners. Stored, and part of links in mails: never rename one. */
export const noticeKinds = ['ending', 'first-scan', 'weekly', 'silence', 'destination'] as const;

export type NoticeKind = (typeof noticeKinds)[number];

export function isNoticeKind(text: unknown): text is NoticeKind {
  return noticeKinds.some((kind) => kind === text);
}
