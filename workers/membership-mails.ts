import { digestOf, newToken } from '../src/accounts/secrets.ts';
import { hasConfirmedEmail, User } from '../src/accounts/users.ts';
import type { DraftMail } from '../src/mail/compose-mail.ts';
import { harmlessAddress, harmlessName } from '../src/mail/harmless-text.ts';
import type { MailRequest } from '../src/queue/mail-queue.ts';
import { dayMs } from '../src/runtime/units.ts';
import type { Database } from '../src/store/database.ts';
import { findMailedInvitation, type Invitation, setInvitationToken } from '../src/workspaces/invitations.ts';
import { findRole } from '../src/workspaces/members.ts';
import { Workspace, type WorkspaceId } from '../src/workspaces/workspace.ts';

interface MailParts {
  db: Database;
  baseUrl: string;
}

interface DraftedInvitation {
  to: string;
  /** Undefined for an address without an account. */
  user: User | undefined;
  /** Language of the invited person, otherwise of the inviter. */
  language: string | null | undefined;
  write(): Promise<DraftMail | undefined>;
}

/** Undefined where the invitation was revoked, or has expired meanwhile. */
export async function draftInvitation(
  { db, baseUrl }: MailParts,
  invitationId: string,
  now: Date,
): Promise<DraftedInvitation | undefined> {
  const invitation = await findMailedInvitation(db, invitationId, now);
  if (!invitation) return undefined;
  const { email } = invitation;
  const user = await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  const inviter = await User.query(db).findById(invitation.createdBy);
  return {
    to: email,
    user,
    language: user?.language ?? inviter?.language,
    write: () => writeInvitation({ db, baseUrl }, invitation, inviter, now),
  };
}

async function writeInvitation(
  { db, baseUrl }: MailParts,
  { id, workspaceId, role, expiresAt }: Invitation,
  inviter: User | undefined,
  now: Date,
): Promise<DraftMail | undefined> {
  const workspace = await findName(db, workspaceId);
  const token = newToken();
  if (!workspace || !(await setInvitationToken(db, id, digestOf(token), now))) return undefined;
  const days = Math.max(1, Math.round((expiresAt.getTime() - now.getTime()) / dayMs));
  const from = inviter && harmlessAddress(inviter.email);
  const invitation = { workspace: workspace.name, role, inviter: from, days };
  return ({ membership }) => membership.invited(invitation, `${baseUrl}/invitations/${token}`);
}

type MembershipRequest = Extract<
  MailRequest,
  { kind: 'member-joined' | 'member-removed' | 'role-changed' | 'workspace-deleted' }
>;

/**
 * To somebody who is or was a member. Undefined where there is no reason any more, and for an address that nobody has confirmed: a
 * stranger whose address somebody has signed up with must not read the names of others.
 */
export async function draftMembershipMail(
  { db, baseUrl }: MailParts,
  user: User,
  request: MembershipRequest,
): Promise<DraftMail | undefined> {
  if (!hasConfirmedEmail(user)) return undefined;
  if (request.kind === 'workspace-deleted') {
    const name = harmlessName(request.name);
    return ({ membership }) => membership.deleted(name);
  }
  const workspaceId = request.workspaceId as WorkspaceId;
  const workspace = await findName(db, workspaceId);
  if (!workspace) return undefined;
  const { name, slug } = workspace;
  const page = `${baseUrl}/w/${slug}/members`;
  const role = await findRole(db, workspaceId, user.id);
  if (request.kind === 'member-removed')
    return role ? undefined : ({ membership }) => membership.removed(name);
  if (request.kind === 'role-changed')
    return role && (({ membership }) => membership.roleChanged({ workspace: name, role }, page));
  const member = await User.query(db).findById(request.memberId);
  const joinedAs = member && (await findRole(db, workspaceId, member.id));
  if (!joinedAs || role !== 'owner') return undefined;
  const joined = { workspace: name, email: harmlessAddress(member.email), role: joinedAs };
  return ({ membership }) => membership.joined(joined, page);
}

/** The name as it may stand in a mail. */
async function findName(
  db: Database,
  id: WorkspaceId,
): Promise<{ name: string | undefined; slug: string } | undefined> {
  const workspace = await Workspace.query(db).findById(id);
  return workspace && { name: harmlessName(workspace.name), slug: workspace.slug };
}
