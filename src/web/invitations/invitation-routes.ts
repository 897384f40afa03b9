import type { Context } from 'koa';
import {
  acceptAs,
  findLinkedInvitation,
  hasAccount,
  inviteeOf,
  signUpAsInvited,
} from '../../accounts/invitation-links.ts';
import type { FieldError } from '../../errors.ts';
import { preferredLanguage } from '../../http/preferred-language.ts';
import { limitsOf } from '../../limits.ts';
import { type Acceptance, type OpenInvitation, refusalFor } from '../../workspaces/accept-invitation.ts';
import { exceededOwnership } from '../../workspaces/owned-workspaces.ts';
import { countMembers, findRole, listMembers } from '../../workspaces/members.ts';
import { findJoinedWorkspace } from '../../accounts/invitation-links.ts';
import type { Workspace } from '../../workspaces/workspace.ts';
import type { CodeFlash } from '../codes/code-flash.ts';
import { field } from '../middleware/forms.ts';
import { signedIn, userOf } from '../middleware/session.ts';
import { createRoutes, type Routes } from '../routes.ts';
import type { Services } from '../services.ts';
import { localSignIn } from '../sign-in/local-sign-in.ts';
import { mailLater } from '../sign-in/mail-requests.ts';
import { newPasswordErrors } from '../sign-in/sign-in-steps.ts';
import { NewPasswordView } from '../sign-in/mail-link-view.tsx';
import { createPages, redirect } from '../ui/page.ts';
import { withNext } from '../ui/sections.ts';
import { DeadInvitationView, InvitationView, JoinedView, type Step } from './invitation-view.tsx';

/** What an invitation is about, for strangers too, and accepting it. */
export function invitationPages(parts: Services): Routes {
  const { db, config, passwords, sessions, now } = parts;
  const routes = createRoutes('/invitations');
  const local = localSignIn(routes, parts);
  const pages = createPages(parts);
  const tokenOf = (ctx: Context) => String(ctx['params'].token);
  const pathOf = (ctx: Context) => `/invitations/${tokenOf(ctx)}`;
  const find = (ctx: Context) => findLinkedInvitation(db, tokenOf(ctx), now());

  /** The same for every link that does not work, so that nobody learns why. */
  const showDead = (ctx: Context) => pages.show(ctx, DeadInvitationView, {}, { status: 404 });

  /** To the page of the workspace that somebody has just joined. */
  function openJoined(ctx: Context, { slug }: Workspace): void {
    sessions.setFlash(ctx, '/codes', 'joined' satisfies CodeFlash);
    redirect(ctx, `/w/${slug}/codes`);
  }

  async function showInvitation(ctx: Context, invitation: OpenInvitation, status = 200): Promise<void> {
    const { workspace, role, expiresAt, email, inviter } = invitation;
    pages.show(
      ctx,
      InvitationView,
      {
        path: pathOf(ctx),
        workspace: workspace.name,
        slug: workspace.slug,
        role,
        expiresAt,
        email: email ?? undefined,
        // Where mails are sent, an address that nobody has confirmed may be anybody's.
        inviter: inviter.isConfirmed || !parts.sendMail ? inviter.email : undefined,
        step: await nextStep(ctx, invitation),
      },
      { status },
    );
  }

  async function nextStep(ctx: Context, invitation: OpenInvitation): Promise<Step> {
    const { workspace, email } = invitation;
    const user = signedIn(ctx);
    if (user && (await findRole(db, workspace.id, user.id))) return 'member';
    const { members } = limitsOf(workspace, config.limits);
    if ((await countMembers(db, workspace.id)) >= members) return 'full';
    if (user) {
      const isOwner = invitation.role === 'owner';
      const refused = refusalFor(invitation, inviteeOf(user));
      if (refused || !isOwner) return refused ?? 'join';
      const exceeded = await exceededOwnership(db, user.id, workspace, config.limits);
      return exceeded === undefined ? 'join' : 'owns-too-many';
    }
    if (config.openId?.isOnly) return 'sign-in';
    if (email !== null) return (await hasAccount(db, email)) ? 'sign-in' : 'create-account';
    return config.signUps === 'open' ? 'sign-in-or-up' : 'sign-in-closed';
  }

  routes.get('stranger', '/:token', async (ctx) => {
    const invitation = await find(ctx);
    if (invitation) return showInvitation(ctx, invitation);
    const user = signedIn(ctx);
    const joined = user && (await findJoinedWorkspace(db, tokenOf(ctx), user));
    if (!joined) return showDead(ctx);
    pages.show(ctx, JoinedView, { workspace: joined.name, slug: joined.slug });
  });

  routes.post('person', '/:token', async (ctx) => {
    const user = userOf(ctx);
    const accepting = { token: tokenOf(ctx), ofPlans: config.limits };
    const accepted: Acceptance = await acceptAs(db, user, accepting, now());
    if ('joined' in accepted) {
      await tellOwners(accepted.joined, user.id);
      return openJoined(ctx, accepted.joined);
    }
    const invitation = accepted.refused === 'gone' ? undefined : await find(ctx);
    if (!invitation) return showDead(ctx);
    await showInvitation(ctx, invitation, 409);
  });

  /** For somebody who is signed in with another account. */
  routes.post('person', '/:token/switch', async (ctx) => {
    await sessions.signOut(ctx);
    redirect(ctx, withNext('/signin', pathOf(ctx)));
  });

  /** A mailed invitation whose address has no account: the link proves whose address it is. */
  async function findNewPerson(ctx: Context): Promise<string | undefined> {
    const { email } = (await find(ctx)) ?? {};
    return email && !(await hasAccount(db, email)) ? email : undefined;
  }

  const showPassword = (ctx: Context, email: string, errors: FieldError[] = []) =>
    pages.show(
      ctx,
      NewPasswordView,
      { action: `${pathOf(ctx)}/account`, email, isNew: true, form: { values: {}, errors } },
      { status: errors.length > 0 ? 400 : 200 },
    );

  // Also where sign-up is closed: an owner vouches for the address.
  local.get('stranger', '/:token/account', async (ctx) => {
    if (signedIn(ctx)) return redirect(ctx, pathOf(ctx));
    const email = await findNewPerson(ctx);
    if (email === undefined) return showDead(ctx);
    showPassword(ctx, email);
  });

  local.post('stranger', '/:token/account', async (ctx) => {
    if (signedIn(ctx)) return redirect(ctx, pathOf(ctx));
    const email = await findNewPerson(ctx);
    if (email === undefined) return showDead(ctx);
    const password = field(ctx, 'newPassword');
    const errors = await newPasswordErrors(parts, 'newPassword', password, email);
    if (errors.length > 0) return showPassword(ctx, email, errors);
    const made = await signUpAsInvited(
      db,
      {
        token: tokenOf(ctx),
        ofPlans: config.limits,
        passwordHash: await passwords.hash(password),
        language: preferredLanguage(ctx.get('Accept-Language')),
      },
      now(),
    );
    // Revoked, or accepted by another request: the page says what is possible now.
    if (!made) return redirect(ctx, pathOf(ctx));
    await tellOwners(made.workspace, made.user.id);
    await sessions.signIn(ctx, made.user);
    openJoined(ctx, made.workspace);
  });

  async function tellOwners({ id: workspaceId }: Workspace, memberId: string): Promise<void> {
    for (const { userId, role } of await listMembers(db, workspaceId))
      if (role === 'owner' && userId !== memberId)
        await mailLater(parts, { kind: 'member-joined', userId, workspaceId, memberId });
  }
  return routes;
}
