import { validate as isUuid } from 'uuid';
import type { Plan } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { isBlockedSql } from './blocked-account-sql.ts';
import { User } from './users.ts';

export interface ListedUser {
  id: string;
  email: string;
  plan: Plan;
  isAdmin: boolean;
  isBlocked: boolean;
  createdAt: Date;
  codes: number;
  /** Active ones. */
  keys: number;
}

interface UserSearch {
  /** Part of the email; '' for all. */
  email: string;
  limit: number;
  /** The id of the last user of the previous page. */
  after?: string | undefined;
}

/** For operators: newest first. One more than `limit` where there is another page. */
export async function searchUsers(
  db: Database,
  { email, limit, after }: UserSearch,
): Promise<{ users: ListedUser[]; hasNext: boolean }> {
  const { rows } = (await db.raw(
    `WITH found AS (
       SELECT id, email, plan, is_admin, created_at FROM users
       WHERE strpos(lower(email), lower(:email)) > 0 AND (CAST(:after AS uuid) IS NULL OR id < CAST(:after AS uuid))
       ORDER BY id DESC LIMIT :most
     )
     SELECT id, email, plan, is_admin AS "isAdmin", created_at AS "createdAt", ${isBlockedSql('found.id')} AS "isBlocked",
            (SELECT coalesce(sum(codes), 0)::int FROM code_counts WHERE user_id = found.id) AS codes,
            (SELECT count(*) FROM api_keys WHERE user_id = found.id AND revoked_at IS NULL) AS keys
     FROM found ORDER BY id DESC`,
    { email, after: after !== undefined && isUuid(after) ? after : null, most: limit + 1 } as never,
  )) as { rows: ListedUser[] };
  return { users: rows.slice(0, limit), hasNext: rows.length > limit };
}

export async function countUsers(db: Database, email: string): Promise<number> {
  const [row] = (await db('users')
    .whereRaw('strpos(lower(email), lower(?)) > 0', [email])
    .count('* as count')) as { count: number }[];
  return row?.count ?? 0;
}

export async function findUser(db: Database, id: string): Promise<User | undefined> {
  return isUuid(id) ? User.query(db).findById(id) : undefined;
}

export interface AccountFigures {
  revokedKeys: number;
  sessions: number;
  lastSeenAt: Date | null;
}

/** How much an account has besides what is limited, and nothing of what it is. */
export async function readAccountFigures(db: Database, userId: string): Promise<AccountFigures> {
  const { rows } = (await db.raw(
    `SELECT (SELECT count(*) FROM api_keys WHERE user_id = :userId AND revoked_at IS NOT NULL) AS "revokedKeys",
            (SELECT count(*) FROM sessions WHERE user_id = :userId) AS sessions,
            (SELECT max(seen_at) FROM sessions WHERE user_id = :userId) AS "lastSeenAt"`,
    { userId },
  )) as { rows: [AccountFigures] };
  return rows[0];
}
