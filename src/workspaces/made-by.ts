import type { Database } from '../store/database.ts';
import { hasRole, type Role, roles } from './members.ts';
import type { WorkspaceId } from './workspace.ts';

/** Who creates or changes a key or a webhook: the address is kept, because the person may be gone one day. */
export interface Maker {
  id: string;
  email: string;
}

export interface KeysAndWebhooks {
  keys: { id: string; name: string; prefix: string }[];
  webhooks: { id: string; name: string }[];
}

/**
 * What still works after somebody has left a workspace, or is no longer one of its owners: active keys that they have created,
 * and enabled webhooks that they have created or changed.
 */
export async function keysAndWebhooksOf(
  db: Database,
  workspaceId: WorkspaceId,
  userId: string,
): Promise<KeysAndWebhooks> {
  const keys = (await db('api_keys')
    .where({ user_id: workspaceId, created_by: userId })
    .whereRaw('revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())')
    .orderBy('id')
    .select('id', 'name', 'prefix')) as KeysAndWebhooks['keys'];
  const webhooks = (await db('webhook_endpoints')
    .where({ user_id: workspaceId, is_enabled: true })
    .whereRaw('? IN (created_by, changed_by)', [userId])
    .orderBy('id')
    .select('id', 'name')) as KeysAndWebhooks['webhooks'];
  return { keys, webhooks };
}

/** Which of these people have at least this role in the workspace now. */
export async function whoStillHas(
  db: Database,
  workspaceId: WorkspaceId,
  needed: Role,
  userIds: (string | null)[],
): Promise<Set<string>> {
  const ids = [...new Set(userIds.filter((id) => id !== null))];
  if (ids.length === 0) return new Set();
  const rows = (await db('workspace_members')
    .where({ workspace_id: workspaceId })
    .whereIn('user_id', ids)
    .whereIn(
      'role',
      roles.filter((role) => hasRole(role, needed)),
    )
    .select('user_id')) as { user_id: string }[];
  return new Set(rows.map(({ user_id }) => user_id));
}
