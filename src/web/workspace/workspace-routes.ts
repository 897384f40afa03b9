import type { Context } from 'koa';
import { cancelExport, findExport, readExport, requestExport } from '../../accounts/account-exports.ts';
import { readUse } from '../../accounts/account-limits.ts';
import { listKeyUse } from '../../accounts/api-keys.ts';
import { takeAttempt } from '../../accounts/request-windows.ts';
import { hasConfirmedEmail } from '../../accounts/users.ts';
import { normalizeLabel } from '../../codes/label.ts';
import { AppError, BusyError } from '../../errors.ts';
import { attachment } from '../../http/file-headers.ts';
import { limitsOf } from '../../limits.ts';
import { deleteWorkspace } from '../../accounts/deletion.ts';
import { foundWorkspace, maxNameLength, renameWorkspace } from '../../workspaces/founding.ts';
import { readOwnedWorkspaces } from '../../workspaces/owned-workspaces.ts';
import { listPeople, listWorkspacesOf } from '../../workspaces/people.ts';
import { changeSlug } from '../../workspaces/former-slugs.ts';
import { slugError, slugOf } from '../../workspaces/slug.ts';
import { currentPasswordErrors } from '../account/account-routes.ts';
import { downloaderOf } from '../middleware/caller.ts';
import { field } from '../middleware/forms.ts';
import { membershipOf, userOf, workspaceOf } from '../middleware/session.ts';
import { type Routes, createRoutes } from '../routes.ts';
import type { Services } from '../services.ts';
import { mailLater } from '../sign-in/mail-requests.ts';
import { type Refusal, labelErrors, refusalOf, requireValid, submit } from '../ui/form.ts';
import { createPages, redirect } from '../ui/page.ts';
import { NewWorkspaceView, type RefusedForm, WorkspaceView } from './workspace-view.tsx';

/** Also of those that were deleted again. */
const maxFoundedPerHour = 10;
const maxExportsPerHour = 3;
/** So that nobody tries out which addresses others have. */
const maxSlugsPerHour = 20;

const flashTexts = {
  created: 'The workspace was created.',
  renamed: 'The workspace was renamed.',
  moved: 'The address was changed. The former one leads here, too.',
  deleted: 'The workspace was deleted.',
  export: 'The export is being created. It takes a minute, longer with many scans.',
  tooManyExports: 'Too many exports were requested. Try again in an hour.',
};

/** A workspace: founding, name, plan and usage, export, deletion. */
export function workspacePages(parts: Services): Routes {
  const { db, config, sendMail, now, codeChanged } = parts;
  const routes = createRoutes();
  const pages = createPages(parts, flashTexts);
  const addressOf = (slug: string) => `${config.baseUrl}/w/${slug}`;

  async function showWorkspace(ctx: Context, refused?: RefusedForm): Promise<void> {
    const workspace = workspaceOf(ctx);
    const role = membershipOf(ctx)?.role ?? 'viewer';
    const isOwner = role === 'owner';
    const limits = limitsOf(workspace, config.limits);
    const keys = isOwner ? await listKeyUse(db, workspace.id) : [];
    const props = {
      workspace,
      role,
      prefix: addressOf(''),
      members: (await listPeople(db, workspace.id)).length,
      plan: {
        name: workspace.plan,
        limits,
        use: await readUse(db, workspace.id),
        byPlan: config.limits,
        keys: isOwner
          ? keys
              .filter(({ key }) => key.stateAt(now()) === 'active')
              .map(({ key, used }) => ({
                name: key.name,
                prefix: key.prefix,
                used,
                limit: limits.requestsPerHour,
              }))
          : undefined,
      },
      latestExport: isOwner ? await findExport(db, workspace.id, now()) : undefined,
      isMailed: sendMail !== undefined && hasConfirmedEmail(userOf(ctx)),
      refused,
      values: {
        name: field(ctx, 'name'),
        slug: field(ctx, 'slug').slice(0, 60),
        confirmation: field(ctx, 'confirmation'),
      },
    };
    pages.show(ctx, WorkspaceView, props, { status: refused ? 400 : 200 });
  }

  const submitForm = (ctx: Context, name: RefusedForm['name'], work: () => Promise<void>) =>
    submit(work, (errors) => showWorkspace(ctx, { name, errors }));

  routes.get('viewer', '/workspace', (ctx) => showWorkspace(ctx));

  routes.post('owner', '/workspace/name', (ctx) =>
    submitForm(ctx, 'name', async () => {
      const name = normalizeLabel(field(ctx, 'name'));
      requireValid(labelErrors('name', name, maxNameLength, 'Enter a name'));
      await renameWorkspace(db, workspaceOf(ctx).id, name);
      pages.redirectWithFlash(ctx, '/workspace', 'renamed');
    }),
  );

  routes.post('owner', '/workspace/address', (ctx) =>
    submitForm(ctx, 'slug', async () => {
      const { id } = workspaceOf(ctx);
      const slug = field(ctx, 'slug').trim().toLowerCase();
      const refuse = (message: string | undefined) =>
        requireValid(message ? [{ field: 'slug', message }] : []);
      refuse(slugError(slug));
      const limit = { subject: `slug:${id}`, maxPerHour: maxSlugsPerHour };
      const { isAllowed } = await takeAttempt(db, limit);
      if (!isAllowed) refuse('was changed too often. Try again in an hour');
      const outcome = await changeSlug(db, id, slug, now());
      if (outcome === 'taken') refuse('belongs to another workspace. Choose another one');
      parts.sessions.setFlash(ctx, '/workspace', 'moved' satisfies keyof typeof flashTexts);
      redirect(ctx, `/w/${slug}/workspace`);
    }),
  );

  routes.post('owner', '/workspace/delete', (ctx) =>
    submitForm(ctx, 'delete', async () => {
      const { id, name } = workspaceOf(ctx);
      const errors = await currentPasswordErrors(ctx, parts, 'deletePassword');
      if (normalizeLabel(field(ctx, 'confirmation')) !== normalizeLabel(name))
        errors.push({ field: 'confirmation', message: `Enter ${name}` });
      requireValid(errors);
      const deleted = await deleteWorkspace(db, id);
      for (const token of deleted?.shareTokens ?? []) codeChanged(token);
      for (const userId of deleted?.members ?? [])
        if (userId !== userOf(ctx).id) await mailLater(parts, { kind: 'workspace-deleted', userId, name });
      const others = await listWorkspacesOf(db, userOf(ctx).id);
      pages.redirectWithFlash(ctx, others.length === 0 ? '/workspaces/new' : '/account', 'deleted');
    }),
  );

  /** Builds the archive of everything in the workspace. */
  routes.post('owner', '/workspace/export', async (ctx) => {
    const { id } = workspaceOf(ctx);
    const { isAllowed } = await takeAttempt(db, { subject: `export:${id}`, maxPerHour: maxExportsPerHour });
    const requestId = isAllowed ? await requestExport(db, id, now()) : undefined;
    if (requestId)
      await parts.buildExport({ userId: id, requestId }).catch(async (cause: unknown) => {
        parts.log.warn({ err: cause }, 'an export could not be queued');
        await cancelExport(db, id, requestId);
        throw new BusyError('Exports cannot be made at the moment. Try again in a minute.', {
          retryAfterSeconds: 60,
          cause,
        });
      });
    pages.redirectWithFlash(ctx, '/workspace', isAllowed ? 'export' : 'tooManyExports');
  });

  routes.get('owner', '/workspace/export.zip', async (ctx) => {
    const { id } = workspaceOf(ctx);
    const found = await findExport(db, id, now());
    if (found?.state !== 'ready')
      throw new AppError(
        'not_found',
        'There is no export to download. Ask for a new one on the page of the workspace.',
      );
    const caller = downloaderOf(ctx);
    const read = <Value>(work: () => Promise<Value>) => parts.downloads.read(caller, work);
    const body = await parts.downloads.stream(caller, async () => readExport(db, id, read));
    ctx.type = 'application/zip';
    ctx.length = found.bytes;
    ctx.set('Content-Disposition', attachment('qrelay-export', 'zip', 'export'));
    ctx.body = body;
  });

  async function showNew(ctx: Context, name = '', refusal?: Refusal): Promise<void> {
    const { owned, limit } = await readOwnedWorkspaces(db, userOf(ctx).id, config.limits);
    const form = { values: { name }, errors: [], ...refusal };
    const isMember = (await listWorkspacesOf(db, userOf(ctx).id)).length > 0;
    const props = { form, prefix: addressOf(''), slug: slugOf(name), owned, limit, isMember };
    pages.show(ctx, NewWorkspaceView, props, refusal);
  }

  async function requireFoundingAttempt(userId: string): Promise<void> {
    const limit = { subject: `found:${userId}`, maxPerHour: maxFoundedPerHour };
    const { isAllowed, retryAfter } = await takeAttempt(db, limit);
    if (isAllowed) return;
    const message = `One person can found ${maxFoundedPerHour} workspaces an hour. Try again later.`;
    throw new AppError('rate_limited', message, { headers: { 'Retry-After': String(retryAfter) } });
  }

  routes.get('person', '/workspaces/new', (ctx) => showNew(ctx));

  routes.post('person', '/workspaces/new', async (ctx) => {
    const name = normalizeLabel(field(ctx, 'name'));
    try {
      requireValid(labelErrors('name', name, maxNameLength, 'Enter a name'));
      await requireFoundingAttempt(userOf(ctx).id);
      const founding = { userId: userOf(ctx).id, name, now: now() };
      const { slug } = await foundWorkspace(db, founding, config.limits);
      parts.sessions.setFlash(ctx, '/workspace', 'created' satisfies keyof typeof flashTexts);
      redirect(ctx, `/w/${slug}/workspace`);
    } catch (error) {
      return showNew(ctx, name, refusalOf(error, { outcome: 'The workspace was not created.' }));
    }
  });
  return routes;
}
