import type { Database } from '../store/database.ts';

/** What works without a password, until its owner ends it. */
export interface ProgramAccess {
  keys: number;
  webhooks: number;
}

export const hasAccess = ({ keys, webhooks }: ProgramAccess) => keys + webhooks > 0;

export async function countAccess(db: Database, userId: string): Promise<ProgramAccess> {
  const { rows } = (await db.raw(
    `SELECT (SELECT count(*) FROM api_keys WHERE user_id = :userId AND revoked_at IS NULL)::int AS keys,
            (SELECT count(*) FROM webhook_endpoints WHERE user_id = :userId AND is_enabled)::int AS webhooks`,
    { userId },
  )) as { rows: [ProgramAccess] };
  return rows[0];
}

/** Revokes API keys and disables webhooks. What waits for these is purged by housekeeping. Returns how many there were. */
export async function revokeAccess(db: Database, userId: string, now: Date): Promise<ProgramAccess> {
  const keys = await db('api_keys').where({ user_id: userId, revoked_at: null }).update({ revoked_at: now });
  const webhooks = await db('webhook_endpoints')
    .where({ user_id: userId, is_enabled: true })
    .update({ is_enabled: false, disabled_at: now, disabled_reason: 'owner' });
  return { keys, webhooks };
}
