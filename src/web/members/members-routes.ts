import type { Context } from 'koa';
import { validate as isUuid } from 'uuid';
import { hasConfirmedEmail } from '../../accounts/users.ts';
import { AppError } from '../../errors.ts';
import { limitsOf } from '../../limits.ts';
import { listInvitations, revokeInvitation } from '../../workspaces/invitations.ts';
import { isRole, listMembers, type Member } from '../../workspaces/members.ts';
import {
  type ChangeOutcome,
  changeRole,
  handOver,
  leaveWorkspace,
  removeMember,
} from '../../workspaces/membership-changes.ts';
import type { AccountFlash } from '../account/account-routes.ts';
import { field } from '../middleware/forms.ts';
import { membershipOf, userOf, workspaceIdOf, workspaceOf } from '../middleware/session.ts';
import { createRoutes, type Routes } from '../routes.ts';
import type { Services } from '../services.ts';
import { mailLater } from '../sign-in/mail-requests.ts';
import { createPages, redirect, redirectWithFlash } from '../ui/page.ts';
import { HandOverView, LeaveView, RemoveView } from './confirm-views.tsx';
import { emptyLinkForm, emptyMailForm } from './invite-form.ts';
import { inviteRoutes, type RefusedInvite } from './invite-routes.ts';
import { MembersView } from './members-view.tsx';

const membersPath = '/members';
const flashTexts = {
  invited: 'The invitation is on its way. The list below shows it until it is accepted.',
  invitedMany: 'The invitations are on their way. The list below shows them until they are accepted.',
  revoked: 'The invitation was revoked. Its link does not work any more.',
  role: 'The role was changed.',
  removed: 'The member was removed.',
  handedOver: 'You have handed over the workspace. You are an editor now.',
};

/** Who is in the workspace, for everybody in it. Owners change that; everybody can leave. */
export function membersPages(parts: Services): Routes {
  const { db, config, sendMail, now } = parts;
  const routes = createRoutes(membersPath);
  const pages = createPages(parts, flashTexts);

  async function showMembers(ctx: Context, refused?: RefusedInvite): Promise<void> {
    const workspace = workspaceOf(ctx);
    const user = userOf(ctx);
    const isOwner = membershipOf(ctx)?.role === 'owner';
    const members = await listMembers(db, workspace.id);
    const { members: most } = limitsOf(workspace, config.limits);
    const formOf = (kind: RefusedInvite['kind'], values: Record<string, string>) =>
      refused?.kind === kind ? refused.form : { values, errors: [] };
    const props = {
      workspace: workspace.name,
      ownId: user.id,
      isOwner,
      members,
      invitations: isOwner ? await listInvitations(db, workspace.id, now()) : [],
      invite:
        isOwner &&
        ({
          mail: formOf('mail', emptyMailForm),
          link: formOf('link', emptyLinkForm),
          isFull: members.length >= most,
          limit: most,
          mails: sendMail ? (hasConfirmedEmail(user) ? 'possible' : 'unconfirmed') : 'none',
        } as const),
    };
    pages.show(ctx, MembersView, props, { status: refused?.status ?? 200 });
  }

  /** The member that an address is about. */
  async function memberOf(ctx: Context): Promise<Member> {
    const id = String(ctx['params'].id);
    const members = isUuid(id) ? await listMembers(db, workspaceIdOf(ctx)) : [];
    const member = members.find(({ userId }) => userId === id.toLowerCase());
    if (!member) throw noSuchMember();
    return member;
  }

  const changeOf = (ctx: Context, { userId }: Member) => ({
    workspaceId: workspaceIdOf(ctx),
    actorId: userOf(ctx).id,
    userId,
  });

  routes.get('viewer', '/', (ctx) => showMembers(ctx));

  inviteRoutes(routes, parts, { showMembers, redirectWithFlash: pages.redirectWithFlash });

  routes.post('owner', '/invitations/:id/revoke', async (ctx) => {
    const isRevoked = await revokeInvitation(db, workspaceIdOf(ctx), String(ctx['params'].id), now());
    if (!isRevoked) throw new AppError('not_found', 'There is no such invitation any more.');
    pages.redirectWithFlash(ctx, membersPath, 'revoked');
  });

  routes.get('viewer', '/leave', async (ctx) => {
    const workspace = workspaceOf(ctx);
    const owners = (await listMembers(db, workspace.id)).filter(({ role }) => role === 'owner');
    const isLastOwner = owners.length === 1 && owners[0]?.userId === userOf(ctx).id;
    pages.show(ctx, LeaveView, { workspace: workspace.name, isLastOwner });
  });

  routes.post('viewer', '/leave', async (ctx) => {
    const change = { workspaceId: workspaceIdOf(ctx), userId: userOf(ctx).id };
    requireChange(await leaveWorkspace(db, change));
    redirectWithFlash(ctx, parts, '/account', 'left' satisfies AccountFlash);
  });

  routes.post('owner', '/:id/role', async (ctx) => {
    const member = await memberOf(ctx);
    const role = field(ctx, 'role');
    if (!isRole(role)) throw new AppError('validation_error', 'Choose a role from the list.');
    const outcome = requireChange(await changeRole(db, { ...changeOf(ctx, member), role }, config.limits));
    if (outcome === 'unchanged') return redirect(ctx, membersPath);
    await tellOfRole(ctx, member);
    pages.redirectWithFlash(ctx, membersPath, 'role');
  });

  routes.get('owner', '/:id/remove', async (ctx) => {
    const member = await memberOf(ctx);
    // Removing yourself is leaving.
    if (member.userId === userOf(ctx).id) return redirect(ctx, `${membersPath}/leave`);
    pages.show(ctx, RemoveView, { member, workspace: workspaceOf(ctx).name });
  });

  routes.post('owner', '/:id/remove', async (ctx) => {
    const member = await memberOf(ctx);
    requireChange(await removeMember(db, changeOf(ctx, member)));
    const { userId } = member;
    if (userId === userOf(ctx).id)
      return redirectWithFlash(ctx, parts, '/account', 'left' satisfies AccountFlash);
    await mailLater(parts, { kind: 'member-removed', userId, workspaceId: workspaceIdOf(ctx) });
    pages.redirectWithFlash(ctx, membersPath, 'removed');
  });

  routes.get('owner', '/:id/hand-over', async (ctx) => {
    const member = await memberOf(ctx);
    if (member.userId === userOf(ctx).id) throw noSuchMember();
    pages.show(ctx, HandOverView, { member, workspace: workspaceOf(ctx).name });
  });

  routes.post('owner', '/:id/hand-over', async (ctx) => {
    const member = await memberOf(ctx);
    if (member.userId === userOf(ctx).id) throw noSuchMember();
    requireChange(await handOver(db, changeOf(ctx, member), config.limits));
    if (member.role !== 'owner') await tellOfRole(ctx, member);
    pages.redirectWithFlash(ctx, membersPath, 'handedOver');
  });

  /** No mail to the person who made the change. */
  async function tellOfRole(ctx: Context, { userId }: Member): Promise<void> {
    if (userId !== userOf(ctx).id)
      await mailLater(parts, { kind: 'role-changed', userId, workspaceId: workspaceIdOf(ctx) });
  }
  return routes;
}

function noSuchMember(): AppError {
  return new AppError('not_found', 'There is no such member.');
}

/** Somebody else may have changed the members since the guard has looked. */
function requireChange(outcome: ChangeOutcome): 'changed' | 'unchanged' {
  if (outcome === 'not-member') throw noSuchMember();
  if (outcome === 'not-owner')
    throw new AppError('validation_error', 'You are not an owner of this workspace any more.', {
      status: 403,
    });
  if (outcome === 'last-owner')
    throw new AppError('validation_error', 'A workspace needs an owner. Make somebody else an owner first.', {
      status: 409,
    });
  if (outcome === 'owns-too-many')
    throw new AppError(
      'validation_error',
      'This member owns as many workspaces as they may. They can delete one or hand one over first, or ask the operator of this service for a higher limit.',
      { status: 409, code: 'quota_exceeded' },
    );
  return outcome;
}
