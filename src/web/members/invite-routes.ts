import type { Context } from 'koa';
import { digestOf, newToken } from '../../accounts/secrets.ts';
import { hasConfirmedEmail } from '../../accounts/users.ts';
import type { FieldError } from '../../errors.ts';
import { inviteByLink, inviteByMail } from '../../workspaces/invitations.ts';
import { listMembers, type Role } from '../../workspaces/members.ts';
import { userOf, workspaceIdOf } from '../middleware/session.ts';
import type { Routes } from '../routes.ts';
import type { Services } from '../services.ts';
import { mailLater } from '../sign-in/mail-requests.ts';
import type { FormState } from '../ui/controls.tsx';
import { createPages, redirect } from '../ui/page.ts';
import { NewLinkView } from './confirm-views.tsx';
import { type InviteForm, memberErrors, readLinkForm, readMailForm } from './invite-form.ts';

/** A form of the page Members that was not accepted. */
export interface RefusedInvite {
  kind: 'mail' | 'link';
  form: FormState;
  status: number;
}

interface MembersPage {
  showMembers(ctx: Context, refused: RefusedInvite): Promise<void>;
  redirectWithFlash(ctx: Context, path: string, key: 'invited' | 'invitedMany'): void;
}

/** What the next page shows of a new link, once. */
export interface NewLink {
  token: string;
  role: Role;
  days: number;
  maxUses: number;
}

/** Adds the forms that invite people to the routes of the page Members. */
export function inviteRoutes(routes: Routes, parts: Services, page: MembersPage): void {
  const { db, config, sessions, sendMail, now } = parts;
  const pages = createPages(parts);
  const invitingOf = (ctx: Context, { role, days }: InviteForm) => ({
    workspaceId: workspaceIdOf(ctx),
    createdBy: userOf(ctx).id,
    role,
    days,
    ofPlans: config.limits,
  });

  const refuse = (
    ctx: Context,
    kind: RefusedInvite['kind'],
    { values }: InviteForm,
    { errors = [], error, status = 400 }: { errors?: FieldError[]; error?: string; status?: number },
  ) => page.showMembers(ctx, { kind, form: { values, errors, error }, status });

  routes.post('owner', '/invitations', async (ctx) => {
    const form = readMailForm(ctx);
    if (!sendMail)
      return refuse(ctx, 'mail', form, { error: 'This service sends no emails. Create a link.' });
    if (!hasConfirmedEmail(userOf(ctx)))
      return refuse(ctx, 'mail', form, {
        error: 'Confirm your own email address first, on your account page.',
      });
    const { emails, errors } = form;
    if (errors.length > 0) return refuse(ctx, 'mail', form, { errors });
    const members = await listMembers(db, workspaceIdOf(ctx));
    const known = memberErrors(emails, members);
    if (known.length > 0) return refuse(ctx, 'mail', form, { errors: known });
    const made = await inviteByMail(db, { ...invitingOf(ctx, form), emails }, now());
    if ('refused' in made) return refuse(ctx, 'mail', form, explain(made));
    for (const invitationId of made.ids) await mailLater(parts, { kind: 'invitation', invitationId });
    page.redirectWithFlash(ctx, '/members', emails.length === 1 ? 'invited' : 'invitedMany');
  });

  routes.post('owner', '/links', async (ctx) => {
    const form = readLinkForm(ctx);
    const { maxUses, note, role, days, errors } = form;
    if (errors.length > 0) return refuse(ctx, 'link', form, { errors });
    const token = newToken();
    const link = { ...invitingOf(ctx, form), tokenHash: digestOf(token), maxUses, note };
    const made = await inviteByLink(db, link, now());
    if ('refused' in made) return refuse(ctx, 'link', form, explain(made));
    await sessions.keepSecret(ctx, JSON.stringify({ token, role, days, maxUses } satisfies NewLink));
    redirect(ctx, '/members/links/created');
  });

  routes.get('owner', '/links/created', async (ctx) => {
    const secret = await sessions.takeSecret(ctx);
    const { token, ...link } = JSON.parse(secret ?? '{}') as Partial<NewLink>;
    // It is shown only once, and the secret may be one of another page.
    if (token === undefined) return redirect(ctx, '/members');
    const url = `${config.baseUrl}/invitations/${token}`;
    pages.show(ctx, NewLinkView, { url, ...(link as Omit<NewLink, 'token'>) });
  });
}

type Refused = Extract<Awaited<ReturnType<typeof inviteByMail>>, { refused: string }>;

function explain(made: Refused): { error: string; status?: number } {
  switch (made.refused) {
    case 'not-owner':
      return { error: 'You are not an owner of this workspace any more.', status: 403 };
    case 'blocked':
      return {
        error:
          'This workspace is blocked, so nobody can be invited to it. Contact the operator of this service.',
        status: 403,
      };
    case 'members':
      return {
        error: `A workspace can have ${made.limit} members, including people who are invited by email. Remove or revoke some first.`,
      };
    case 'invitations':
      return { error: `A workspace can have ${made.limit} open invitations. Revoke some first.` };
    case 'invitationMailsPerDay':
      return {
        error: `A workspace can send ${made.limit} invitations by email a day. Create a link, or try again tomorrow.`,
        status: 429,
      };
    case 'ownMailsPerDay':
      return {
        error: `You can send ${made.limit} invitations by email a day, from all your workspaces together. Create a link, or try again tomorrow.`,
        status: 429,
      };
  }
}
