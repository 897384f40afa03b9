import type { Database } from '../store/database.ts';
import { maxToldOwners } from '../workspaces/people.ts';
import { isWorkspaceBlockedSql, type WorkspaceId } from '../workspaces/workspace.ts';

/** A workspace whose owners get notices: at least one has a confirmed address and is not blocked. */
export interface Owner {
  id: WorkspaceId;
  /** Time zone of the owner who joined first; decides when a day begins. */
  timeZone: string | null;
  /** First scans before are no news. */
  since: Date;
}

const checkEveryMs = 9 * 60_000;
const ownersPerStep = 20;

/** Whether somebody can be written to, as SQL for `users AS person`. */
const isReachableSql = `lower(person.confirmed_email) = lower(person.email) 
  AND NOT EXISTS (SELECT FROM blocks WHERE kind = 'account' AND value = person.id::text)`;

/** The owners of a workspace who can be written to, as SQL to follow FROM. `workspaceId` is an expression. */
const reachableOwners = (workspaceId: string) => `
  workspace_members AS member JOIN users AS person ON person.id = member.user_id
  WHERE member.workspace_id = ${workspaceId} AND member.role = 'owner' AND ${isReachableSql}
    AND NOT ${isWorkspaceBlockedSql('member.workspace_id')}`;

const isMutedSql = (kind: string) => `coalesce(${kind} = ANY(person.muted_notices), false)`;

/** Whether an owner of the workspace wants notices of this kind, as SQL. */
export const wantsNoticesSql = (workspaceId: string, kind: NoticeKind) =>
  `EXISTS (SELECT FROM ${reachableOwners(workspaceId)} AND NOT ${isMutedSql(`'${kind}'`)})`;

/** Workspaces with an owner whose address was confirmed since the last run. */
export async function addOwners(db: Database, now: Date): Promise<void> {
  await db.raw(
    `INSERT INTO notice_checks (user_id, since, checked_at)
     SELECT id, :now, '-infinity' FROM workspaces
     WHERE NOT EXISTS (SELECT FROM notice_checks WHERE user_id = workspaces.id)
       AND EXISTS (SELECT FROM ${reachableOwners('workspaces.id')})
     ON CONFLICT DO NOTHING`,
    { now },
  );
}

/** The next workspaces whose codes are to be looked at; no other worker gets them. Undefined: all have been. */
export async function claimOwners(db: Database, now: Date): Promise<Owner[] | undefined> {
  const { rows } = (await db.raw(
    `WITH claimed AS (
       UPDATE notice_checks SET checked_at = :now
       WHERE user_id IN (
         SELECT user_id FROM notice_checks WHERE checked_at <= :due
         ORDER BY checked_at LIMIT ${ownersPerStep} FOR UPDATE SKIP LOCKED
       )
       RETURNING user_id AS id, since
     )
     SELECT claimed.id, claimed.since, first.time_zone AS "timeZone", first.is_reachable AS "isReachable"
     FROM claimed LEFT JOIN LATERAL (
       SELECT person.time_zone, true AS is_reachable FROM ${reachableOwners('claimed.id')}
       ORDER BY member.joined_at, person.id LIMIT 1
     ) AS first ON true`,
    { now, due: new Date(now.getTime() - checkEveryMs) },
  )) as { rows: (Owner & { isReachable: boolean | null })[] };
  return rows.length === 0 ? undefined : rows.filter(({ isReachable }) => isReachable);
}

export interface Recipient {
  userId: string;
  email: string;
  language: string | null;
}

/** The owners of a workspace who can be written to and have not switched these notices off: those who joined first. */
export async function findRecipients(
  db: Database,
  workspaceId: WorkspaceId,
  kind: NoticeKind,
): Promise<Recipient[]> {
  const { rows } = (await db.raw(
    `SELECT person.id AS "userId", person.email, person.language
     FROM ${reachableOwners(':workspaceId')} AND NOT ${isMutedSql(':kind')}
     ORDER BY member.joined_at, person.id LIMIT ${maxToldOwners}`,
    { workspaceId, kind },
  )) as { rows: Recipient[] };
  return rows;
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
