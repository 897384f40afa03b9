import type { Database } from '../store/database.ts';
import type { Role } from './members.ts';
import { withSlugNowOrBefore } from './former-slugs.ts';

/** The workspace that people join when they first sign in with the OpenID provider. */
export interface AutomaticMembership {
  slug: string;
  /** Never owner: a sign-in must not hand out keys and the deletion of the workspace. */
  role: Exclude<Role, 'owner'>;
}

/** False if no workspace has or had this slug. Existing members keep their role. */
export async function joinAutomatically(
  transaction: Database,
  { slug, role }: AutomaticMembership,
  userId: string,
  now: Date,
): Promise<boolean> {
  // Locked, as by everybody who changes the members of a workspace.
  const workspace = await withSlugNowOrBefore(transaction, slug).forNoKeyUpdate().select('id');
  if (!workspace) return false;
  await transaction('workspace_members')
    .insert({ workspace_id: workspace.id, user_id: userId, role, joined_at: now })
    .onConflict(['workspace_id', 'user_id'])
    .ignore();
  return true;
}

export async function hasWorkspace(db: Database, slug: string): Promise<boolean> {
  return (await withSlugNowOrBefore(db, slug).select('id')) !== undefined;
}
