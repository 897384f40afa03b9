import { type PlanLimits, limitsOf } from '../limits.ts';
import type { Database } from '../store/database.ts';
import { Invitation } from './invitations.ts';
import { addMember, countMembers, findRole, type Role } from './members.ts';
import { exceededOwnership, lockOwner } from './owned-workspaces.ts';
import { findWorkspace, lockWorkspace, type Workspace } from './workspace.ts';

/** What whoever has the link may know before they join. */
export interface OpenInvitation {
  workspace: Workspace;
  role: Role;
  /** Only an account with this address can accept. Null: any. */
  email: string | null;
  expiresAt: Date;
  inviter: { email: string; isConfirmed: boolean };
}

/**
 * Undefined if it does not exist, has expired, was used up or revoked, or if the inviter or the workspace is blocked: nobody
 * learns which. Opening it changes nothing.
 */
export async function findInvitation(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<OpenInvitation | undefined> {
  const found = (await Invitation.valid(db, now)
    .join('users AS inviter', 'inviter.id', 'invitations.created_by')
    .findOne({ token_hash: tokenHash })
    .select('invitations.*', 'inviter.email AS inviter')
    .select(
      Invitation.raw(
        'coalesce(lower(inviter.confirmed_email) = lower(inviter.email), false) AS is_confirmed',
      ),
    )) as (Invitation & { inviter: string; isConfirmed: boolean }) | undefined;
  if (!found) return undefined;
  const { role, email, expiresAt, inviter, isConfirmed, workspaceId } = found;
  const workspace = await findWorkspace(db, workspaceId);
  return { workspace, role, email, expiresAt, inviter: { email: inviter, isConfirmed } };
}

/** Who accepts. An address that is not confirmed may be anybody's. */
export interface Invitee {
  id: string;
  email: string;
  isConfirmed: boolean;
}

/** Why an invitation is not for this account, as far as the account decides. */
export function refusalFor(
  { email }: Pick<OpenInvitation, 'email'>,
  invitee: Invitee,
): 'other-address' | 'unconfirmed' | undefined {
  if (email === null) return undefined;
  if (email.toLowerCase() !== invitee.email.toLowerCase()) return 'other-address';
  return invitee.isConfirmed ? undefined : 'unconfirmed';
}

export type Acceptance =
  | { joined: Workspace }
  | { refused: 'gone' | 'other-address' | 'unconfirmed' | 'full' | 'owns-too-many' | 'member' };

/** Makes the account a member and counts the use, under the lock of the workspace. */
export async function acceptInvitation(
  db: Database,
  { tokenHash, invitee, ofPlans }: { tokenHash: Buffer; invitee: Invitee; ofPlans: PlanLimits },
  now: Date,
): Promise<Acceptance> {
  return db.transaction(async (transaction) => {
    const known = await findInvitation(transaction, tokenHash, now);
    if (!known) return { refused: 'gone' };
    if (known.role === 'owner') await lockOwner(transaction, invitee.id);
    await lockWorkspace(transaction, known.workspace.id);
    // Again, because somebody else may have used it up, or an owner revoked it, before the lock.
    const invitation = await findInvitation(transaction, tokenHash, now);
    if (!invitation) return { refused: 'gone' };
    const { workspace, role } = invitation;
    if (await findRole(transaction, workspace.id, invitee.id)) return { refused: 'member' };
    const refused = refusalFor(invitation, invitee);
    if (refused) return { refused };
    if (
      role === 'owner' &&
      (await exceededOwnership(transaction, invitee.id, workspace, ofPlans)) !== undefined
    )
      return { refused: 'owns-too-many' };
    const { members } = limitsOf(workspace, ofPlans);
    if ((await countMembers(transaction, workspace.id)) >= members) return { refused: 'full' };
    // Revoking does not wait for the lock: whichever of the two updates the row first wins.
    const used = await Invitation.open(transaction, now)
      .where({ token_hash: tokenHash })
      .patch({ uses: Invitation.raw('uses + 1') as never });
    if (used === 0) return { refused: 'gone' };
    await addMember(transaction, { workspaceId: workspace.id, userId: invitee.id, role }, now);
    return { joined: workspace };
  });
}
