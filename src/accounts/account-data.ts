import type { Database } from '../store/database.ts';

/** What an account has besides codes and scans, for its export. Nothing that signs in: no hashes, keys or secrets. */
export async function readAccountData(db: Database, userId: string): Promise<object> {
  const ofUser = { user_id: userId };
  const account = (await db('users').where({ id: userId }).first({
    id: 'id',
    email: 'email',
    confirmedEmail: 'confirmed_email',
    plan: 'plan',
    limits: 'limits',
    isOperator: 'is_admin',
    language: 'language',
    timeZone: 'time_zone',
    mutedNotices: 'muted_notices',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
  })) as object;
  const apiKeys = (await db('api_keys').where(ofUser).orderBy('id').select({
    name: 'name',
    prefix: 'prefix',
    createdAt: 'created_at',
    revokedAt: 'revoked_at',
  })) as object[];
  const sessions = (await db('sessions')
    .where(ofUser)
    .orderBy('created_at')
    .select({ device: 'device', createdAt: 'created_at', seenAt: 'seen_at' })) as object[];
  const passkeys = (await db('passkeys')
    .where(ofUser)
    .orderBy('created_at')
    .select({ name: 'name', createdAt: 'created_at', usedAt: 'used_at' })) as object[];
  const authenticatorApp = (await db('totp_secrets').where(ofUser).first({ confirmedAt: 'confirmed_at' })) as
    | object
    | undefined;
  const webhooks = (await db('webhook_endpoints').where(ofUser).orderBy('id').select({
    id: 'id',
    name: 'name',
    url: 'url',
    events: 'events',
    codeIds: 'code_ids',
    categories: 'categories',
    isEnabled: 'is_enabled',
    createdAt: 'created_at',
  })) as object[];
  return { account, apiKeys, sessions, passkeys, authenticatorApp: authenticatorApp ?? null, webhooks };
}
