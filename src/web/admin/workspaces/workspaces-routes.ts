import type { Context } from 'koa';
import { validate as isUuid } from 'uuid';
import { blockWorkspace, findWorkspaceBlock, unblockWorkspace } from '../../../accounts/account-blocks.ts';
import { type LimitChanges, changeLimits, readUse } from '../../../accounts/account-limits.ts';
import { type OperatorAction, listActions, recordAction } from '../../../accounts/operator-actions.ts';
import { AppError, type FieldError, invalid } from '../../../errors.ts';
import { limitError, limitNames, planNames } from '../../../limits.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import { readAccountScans } from '../../../scans/analytics.ts';
import type { Database } from '../../../store/database.ts';
import { listPeople } from '../../../workspaces/people.ts';
import { searchWorkspaces } from '../../../workspaces/search-workspaces.ts';
import { setPlan, Workspace, type WorkspaceId } from '../../../workspaces/workspace.ts';
import { field } from '../../middleware/forms.ts';
import { userOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import { queryText, requireValid, submit } from '../../ui/form.ts';
import { createPages } from '../../ui/page.ts';
import { maxSearchLength, normalizeReason, reasonErrors } from '../admin-layout.tsx';
import { WorkspaceAdminView } from './workspace-view.tsx';
import { WorkspacesView } from './workspaces-view.tsx';

const workspacesPerPage = 25;
const actionsShown = 10;
const membersShown = 200;
const scanDays = 30;
const scansTimeoutMs = 5_000;
const flashTexts = {
  plan: 'The plan was changed. It applies from the next request on.',
  limits: 'The limits were changed. They apply within 10 seconds.',
  blocked: 'The workspace was blocked. Its codes answer 410 within 10 seconds.',
  unblocked: 'The workspace was unblocked. Its codes work again within 10 seconds.',
  unchanged: 'Nothing was changed.',
};

interface Change {
  action: OperatorAction;
  note?: string;
  flash: keyof typeof flashTexts;
}

/** Workspaces: search, and each for operators with its plan, limits, block. Never what it has in its codes. */
export function adminWorkspacePages(parts: Services): Routes {
  const { db, reads, config, now } = parts;
  const routes = createRoutes('/admin/workspaces');
  const pages = createPages(parts, flashTexts);

  routes.get('operator', '/', async (ctx) => {
    const [text, after] = ['q', 'after'].map((name) =>
      queryText(ctx, name).slice(0, maxSearchLength).trim(),
    ) as [string, string];
    const { workspaces, hasNext } = await searchWorkspaces(db, { text, after, limit: workspacesPerPage });
    const address = (more: Record<string, string>) => {
      const query = new URLSearchParams({ ...(text && { q: text }), ...more }).toString();
      return query ? `/admin/workspaces?${query}` : '/admin/workspaces';
    };
    pages.show(ctx, WorkspacesView, {
      workspaces,
      text,
      firstPage: after ? address({}) : undefined,
      nextPage: hasNext ? address({ after: workspaces.at(-1)?.id ?? '' }) : undefined,
    });
  });

  async function requireWorkspace(ctx: Context): Promise<Workspace> {
    const id = String(ctx['params'].id);
    const workspace = isUuid(id) ? await Workspace.query(db).findById(id) : undefined;
    if (!workspace) throw new AppError('not_found', 'There is no such workspace.');
    return workspace;
  }

  const readScans = (id: WorkspaceId) =>
    reads.scans(id, (from) => readAccountScans(from, id, scanDays, now()));

  async function showWorkspace(ctx: Context, workspace: Workspace, errors: FieldError[] = []) {
    const marked = errors.length > 1 ? 'marked fields' : 'marked field';
    const error = errors.length > 0 ? `Nothing was changed. Check the ${marked}.` : undefined;
    const values = { plan: workspace.plan, reason: field(ctx, 'reason'), ...limitValues(ctx, workspace) };
    const props = {
      workspace,
      members: await listPeople(db, workspace.id, { limit: membersShown }),
      use: await readUse(db, workspace.id),
      planLimits: config.limits[workspace.plan],
      block: await findWorkspaceBlock(db, workspace.id),
      // Counting them may take too long for a workspace with very many codes.
      scans: await withTimeout(scansTimeoutMs, readScans(workspace.id)).catch(() => undefined),
      actions: await listActions(db, { target: workspace.id, about: 'workspaces', limit: actionsShown }),
      form: { values, errors, error },
    };
    pages.show(ctx, WorkspaceAdminView, props, { status: error ? 400 : 200 });
  }

  const submitForm = async (ctx: Context, work: (workspace: Workspace) => Promise<void>) => {
    const workspace = await requireWorkspace(ctx);
    await submit(
      () => work(workspace),
      (errors) => showWorkspace(ctx, workspace, errors),
    );
  };

  const finish = (ctx: Context, { id }: Workspace, flash: keyof typeof flashTexts) =>
    pages.redirectWithFlash(ctx, `/admin/workspaces/${id}`, flash);

  /** The change and its entry in the audit log, both or neither. */
  async function change(
    ctx: Context,
    workspace: Workspace,
    { action, note, flash }: Change,
    work: (transaction: Database) => Promise<boolean | void>,
  ): Promise<void> {
    const isChanged = await db.transaction(async (transaction) => {
      if ((await work(transaction)) === false) return false;
      const entry = { operatorId: userOf(ctx).id, action, target: workspace.id, note };
      await recordAction(transaction, entry, now());
      return true;
    });
    finish(ctx, workspace, isChanged ? flash : 'unchanged');
  }

  routes.get('operator', '/:id', async (ctx) => showWorkspace(ctx, await requireWorkspace(ctx)));

  routes.post('operator', '/:id/plan', (ctx) =>
    submitForm(ctx, async (workspace) => {
      const plan = planNames.find((name) => name === field(ctx, 'plan'));
      if (!plan) throw invalid([{ field: 'plan', message: `must be one of ${planNames.join(', ')}` }]);
      if (plan === workspace.plan) return finish(ctx, workspace, 'unchanged');
      const note = `${workspace.plan} → ${plan}`;
      await change(ctx, workspace, { action: 'plan.change', note, flash: 'plan' }, (transaction) =>
        setPlan(transaction, workspace.id, plan),
      );
    }),
  );

  routes.post('operator', '/:id/limits', (ctx) =>
    submitForm(ctx, async (workspace) => {
      const by = { workspaceId: workspace.id, operatorId: userOf(ctx).id };
      const isChanged = await changeLimits(db, by, readLimitChanges(ctx), now());
      finish(ctx, workspace, isChanged ? 'limits' : 'unchanged');
    }),
  );

  routes.post('operator', '/:id/block', (ctx) =>
    submitForm(ctx, async (workspace) => {
      const reason = normalizeReason(field(ctx, 'reason'));
      requireValid(reasonErrors(reason));
      const blocking: Change = { action: 'workspace.block', note: reason, flash: 'blocked' };
      await change(ctx, workspace, blocking, (transaction) =>
        blockWorkspace(transaction, workspace.id, reason || null, now()),
      );
    }),
  );

  routes.post('operator', '/:id/unblock', async (ctx) => {
    const workspace = await requireWorkspace(ctx);
    await change(ctx, workspace, { action: 'workspace.unblock', flash: 'unblocked' }, (transaction) =>
      unblockWorkspace(transaction, workspace.id),
    );
  });
  return routes;
}

/** The form of limits. Throws where one of them is wrong. */
function readLimitChanges(ctx: Context): LimitChanges {
  const errors: FieldError[] = [];
  const changes: LimitChanges = {};
  for (const name of limitNames) {
    const text = field(ctx, name).trim();
    const error = text === '' ? undefined : limitError(name, text);
    if (error) errors.push({ field: name, message: error });
    changes[name] = text === '' ? null : Number(text);
  }
  requireValid(errors);
  return changes;
}

/** Limits that were set for the workspace, or what was typed. */
function limitValues(ctx: Context, { limits }: Pick<Workspace, 'limits'>): Record<string, string> {
  const isTyped = ctx.path.endsWith('/limits');
  return Object.fromEntries(
    limitNames.map((name) => [name, isTyped ? field(ctx, name) : String(limits?.[name] ?? '')]),
  );
}
