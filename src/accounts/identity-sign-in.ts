import type { Language } from '../http/preferred-language.ts';
import type { PlanLimits } from '../limits.ts';
import type { AuthenticatedIdentity } from '../net/openid-provider.ts';
import { nameActor } from '../store/actor.ts';
import type { Database } from '../store/database.ts';
import {
  type AutomaticJoin,
  type AutomaticMembership,
  joinAutomatically,
} from '../workspaces/automatic-membership.ts';
import { findAccountBlock } from './account-blocks.ts';
import { changePassword, confirmOwnership } from './account-links.ts';
import { hasAccess } from './api-keys.ts';
import { linkIdentity, useIdentity } from './identities.ts';
import { removeSecondFactors } from './second-factors.ts';
import { createUser, emailErrors, hasConfirmedEmail, personOf, User } from './users.ts';

interface SignInRules {
  /** Domains of email addresses. Empty: all. */
  domains: readonly string[];
  /** Whether somebody without an account gets one. */
  mayCreate: boolean;
  /** Language of mails to a new account. */
  language: Language;
  /** What they join at their first sign-in. */
  workspace?: AutomaticMembership | undefined;
  ofPlans: PlanLimits;
}

type IdentitySignIn =
  | {
      user: User;
      /** Whether an account that was there before has a new way to sign in. */
      isLinked: boolean;
      /** Whether a password, keys or webhooks were removed, because somebody else may have had the account before. */
      isClaimed: boolean;
      /** Undefined where the identity was linked before, or there is nothing to join. */
      join?: AutomaticJoin | undefined;
    }
  | { refused: 'unverified' | 'domain' | 'no-account' | 'other-identity' | 'blocked' };

/**
 * Signs in somebody whom the provider has authenticated. A known identity opens its account, whatever its email is by now.
 * At its first sign-in, its verified email decides: the account with that address is linked, or one is created.
 */
export async function signInByIdentity(
  db: Database,
  identity: AuthenticatedIdentity,
  rules: SignInRules,
  now: Date,
): Promise<IdentitySignIn> {
  const known = await useIdentity(db, identity, now);
  if (known) {
    if (await findAccountBlock(db, known.id)) return { refused: 'blocked' };
    return { user: known, isLinked: false, isClaimed: false };
  }
  const found = await findLinkableEmail(identity, rules.domains);
  if ('refused' in found) return found;
  return db.transaction((transaction) => signInFirst(transaction, identity, found.email, rules, now));
}

/** The address with which an identity may be linked to an account. */
export async function findLinkableEmail(
  { verifiedEmail }: AuthenticatedIdentity,
  domains: readonly string[],
): Promise<{ email: string } | { refused: 'unverified' | 'domain' }> {
  const email = await verifiedEmail();
  if (email === undefined || emailErrors('email', email).length > 0) return { refused: 'unverified' };
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domains.length === 0 || domains.includes(domain) ? { email } : { refused: 'domain' };
}

async function signInFirst(
  transaction: Database,
  { issuer, subject }: AuthenticatedIdentity,
  email: string,
  { mayCreate, language, workspace, ofPlans }: SignInRules,
  now: Date,
): Promise<IdentitySignIn> {
  const input = { email, passwordHash: null, language, isConfirmed: true };
  const created = mayCreate ? await createUser(transaction, input, now) : undefined;
  const user =
    created ??
    (await User.query(transaction).whereRaw('lower(email) = lower(?)', [email]).forUpdate().first());
  if (!user) return { refused: 'no-account' };
  if (await findAccountBlock(transaction, user.id)) return { refused: 'blocked' };
  await nameActor(transaction, personOf(user));
  const isClaimed = hasConfirmedEmail(user) ? false : await claimAccount(transaction, user, now);
  const outcome = await linkIdentity(transaction, { issuer, subject, email, userId: user.id }, now);
  // The provider may have given the address of somebody who left to somebody else, who must not get the account.
  if (outcome === 'other' || outcome === 'taken') return { refused: 'other-identity' };
  const isNew = outcome === 'linked';
  const joining = { userId: user.id, identity: { issuer, subject }, ofPlans };
  const join = workspace && isNew ? await joinAutomatically(transaction, workspace, joining, now) : undefined;
  return { user, isLinked: !created && isNew, isClaimed, join };
}

/** The first proof that the address is theirs: whoever has signed up with it before must not get in any more. */
async function claimAccount(transaction: Database, user: User, now: Date): Promise<boolean> {
  const hadPassword = user.passwordHash !== null;
  await changePassword(transaction, user, null, now);
  await removeSecondFactors(transaction, user.id);
  return hasAccess(await confirmOwnership(transaction, user, now)) || hadPassword;
}
