import type { Language } from '../http/preferred-language.ts';
import type { PlanLimits } from '../limits.ts';
import { nameActor } from '../store/actor.ts';
import type { Database } from '../store/database.ts';
import {
  type Acceptance,
  acceptInvitation,
  findInvitation,
  type Invitee,
  type OpenInvitation,
} from '../workspaces/accept-invitation.ts';
import { Workspace } from '../workspaces/workspace.ts';
import { findAccountBlock } from './account-blocks.ts';
import { digestOf } from './secrets.ts';
import { createUser, hasConfirmedEmail, personOf, User } from './users.ts';

const tokenPattern = /^[\w-]{43}$/;

/** The invitation of a link that works. Opening it does not use it up: mail programs open links too. */
export async function findLinkedInvitation(
  db: Database,
  token: string,
  now: Date,
): Promise<OpenInvitation | undefined> {
  return tokenPattern.test(token) ? findInvitation(db, digestOf(token), now) : undefined;
}

/** The workspace of an invitation that the account is a member of, whether or not the link still works. */
export async function findJoinedWorkspace(
  db: Database,
  token: string,
  { id }: User,
): Promise<Workspace | undefined> {
  if (!tokenPattern.test(token)) return undefined;
  return Workspace.query(db)
    .join('invitations', 'invitations.workspace_id', 'workspaces.id')
    .join('workspace_members AS member', 'member.workspace_id', 'workspaces.id')
    .findOne({ 'invitations.token_hash': digestOf(token), 'member.user_id': id })
    .select('workspaces.*');
}

export const inviteeOf = (user: User): Invitee => ({
  id: user.id,
  email: user.email,
  isConfirmed: hasConfirmedEmail(user),
});

interface Accepting {
  token: string;
  ofPlans: PlanLimits;
}

export async function acceptAs(
  db: Database,
  user: User,
  { token, ofPlans }: Accepting,
  now: Date,
): Promise<Acceptance> {
  if (!tokenPattern.test(token) || (await findAccountBlock(db, user.id))) return { refused: 'gone' };
  return acceptInvitation(db, { tokenHash: digestOf(token), invitee: inviteeOf(user), ofPlans }, now);
}

/** Whether the address of a mailed invitation has an account. Whoever has the link reads the mail of the address. */
export async function hasAccount(db: Database, email: string): Promise<boolean> {
  return (await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first()) !== undefined;
}

interface NewMember extends Accepting {
  passwordHash: string;
  language: Language;
}

/**
 * Creates the account of a mailed invitation, with a confirmed address: the link proves that it is theirs. Undefined where the
 * invitation does not work any more, or the address has an account by now; then nothing is created.
 */
export async function signUpAsInvited(
  db: Database,
  { token, ofPlans, passwordHash, language }: NewMember,
  now: Date,
): Promise<{ user: User; workspace: Workspace } | undefined> {
  const { email } = (await findLinkedInvitation(db, token, now)) ?? {};
  if (!email) return undefined;
  return db
    .transaction(async (transaction) => {
      const user = await createUser(transaction, { email, passwordHash, language, isConfirmed: true }, now);
      if (user) await nameActor(transaction, personOf(user));
      const accepted = user && (await acceptAs(transaction, user, { token, ofPlans }, now));
      if (!accepted || 'refused' in accepted) throw new NotInvitedError();
      return { user, workspace: accepted.joined };
    })
    .catch((error: unknown) => {
      if (error instanceof NotInvitedError) return undefined;
      throw error;
    });
}

/** Rolls the new account back. */
class NotInvitedError extends Error {}
