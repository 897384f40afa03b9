import { createHash } from 'node:crypto';
import { limitsOf, type PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { withSlugNowOrBefore } from './former-slugs.ts';
import { addMember, countMembers, findRole, type Role } from './members.ts';

/** The workspace that people join when they first sign in with the OpenID provider. */
export interface AutomaticMembership {
  slug: string;
  /** Never owner: a sign-in must not hand out keys and the deletion of the workspace. */
  role: Exclude<Role, 'owner'>;
}

interface Joining {
  userId: string;
  identity: { issuer: string; subject: string };
  ofPlans: PlanLimits;
}

/** `before`: this identity joined before, and may have been removed since. Existing members keep their role. */
export type AutomaticJoin = 'joined' | 'before' | 'full' | 'no-workspace';

/** An identity joins a workspace once, whichever account it signs in to. */
export async function joinAutomatically(
  transaction: Database,
  { slug, role }: AutomaticMembership,
  { userId, identity, ofPlans }: Joining,
  now: Date,
): Promise<AutomaticJoin> {
  // Locked, as by everybody who changes the members of a workspace.
  const workspace = await withSlugNowOrBefore(transaction, slug).forNoKeyUpdate();
  if (!workspace) return 'no-workspace';
  const { id: workspaceId } = workspace;
  const join = { workspace_id: workspaceId, identity_hash: hashOf(identity) };
  if (await transaction('automatic_joins').where(join).first('joined_at')) return 'before';
  const isMember = (await findRole(transaction, workspaceId, userId)) !== undefined;
  if (!isMember) {
    // Not remembered: an operator or owner may make room.
    const { members } = limitsOf(workspace, ofPlans);
    if ((await countMembers(transaction, workspaceId)) >= members) return 'full';
    await addMember(transaction, { workspaceId, userId, role }, now);
  }
  await transaction('automatic_joins').insert({ ...join, joined_at: now });
  return 'joined';
}

const hashOf = ({ issuer, subject }: Joining['identity']) =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest();

export async function hasWorkspace(db: Database, slug: string): Promise<boolean> {
  return (await withSlugNowOrBefore(db, slug).select('id')) !== undefined;
}
