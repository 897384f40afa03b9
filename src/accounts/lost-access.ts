import type { Database } from '../store/database.ts';
import { type Role, roles } from '../workspaces/members.ts';
import { isWorkspaceBlockedSql, type WorkspaceId } from '../workspaces/workspace.ts';
import { isActiveKeySql, isBlockedSql } from './users.ts';

/** What the guard of a route has found, for a response that goes on after it: who asks, and the role that they need. */
export type GrantedAccess =
  | {
      userId: string;
      workspaceId: WorkspaceId;
      needed: Role;
      /** The hash of the session's token. */
      session: Buffer;
    }
  | { keyId: string };

/**
 * The indexes of those who have lost it: no members any more, or with a lower role, blocked, signed out, or keys that were revoked,
 * have expired, or are of a blocked workspace. One statement for all.
 */
export async function findLostAccess(db: Database, granted: readonly GrantedAccess[]): Promise<number[]> {
  const { rows } = (await db.raw(
    `SELECT (position - 1)::int AS index
     FROM unnest(CAST(:users AS uuid[]), CAST(:workspaces AS uuid[]), CAST(:needed AS text[]),
                 CAST(:sessions AS bytea[]), CAST(:keys AS uuid[]))
       WITH ORDINALITY AS granted (user_id, workspace_id, needed, session, key_id, position)
     WHERE CASE WHEN granted.key_id IS NOT NULL THEN
         NOT EXISTS (SELECT FROM api_keys AS k WHERE k.id = granted.key_id AND ${isActiveKeySql('k')}
                     AND NOT ${isWorkspaceBlockedSql('k.user_id')})
       ELSE
         NOT EXISTS (SELECT FROM workspace_members AS m
                     WHERE m.workspace_id = granted.workspace_id AND m.user_id = granted.user_id
                       AND array_position(CAST(:roles AS text[]), m.role)
                           <= array_position(CAST(:roles AS text[]), granted.needed))
         OR NOT EXISTS (SELECT FROM sessions WHERE token_hash = granted.session)
         OR ${isBlockedSql('granted.user_id')}
       END`,
    {
      roles: [...roles],
      users: granted.map((access) => ('userId' in access ? access.userId : null)),
      workspaces: granted.map((access) => ('userId' in access ? access.workspaceId : null)),
      needed: granted.map((access) => ('userId' in access ? access.needed : null)),
      sessions: granted.map((access) => ('userId' in access ? access.session : null)),
      keys: granted.map((access) => ('keyId' in access ? access.keyId : null)),
    } as never,
  )) as { rows: { index: number }[] };
  return rows.map(({ index }) => index);
}
