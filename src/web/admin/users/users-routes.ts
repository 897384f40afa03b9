import type { Context } from 'koa';
import { blockAccount, findAccountBlock, unblockAccount } from '../../../accounts/account-blocks.ts';
import { type OperatorAction, listActions, recordAction } from '../../../accounts/operator-actions.ts';
import { limitError, limitNames, planNames } from '../../../limits.ts';
import { type LimitChanges, changeLimits, readUse } from '../../../accounts/account-limits.ts';
import { type User, countUsers, findUser, readAccountFigures, searchUsers } from '../../../accounts/users.ts';
import { endSessionsOf } from '../../../accounts/sessions.ts';
import { createSignInLink } from '../../../accounts/account-links.ts';
import { AppError, type FieldError, invalid } from '../../../errors.ts';
import { readAccountScans } from '../../../scans/analytics.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import type { Database } from '../../../store/database.ts';
import { field } from '../../middleware/forms.ts';
import { queryText, requireValid, submit } from '../../ui/form.ts';
import type { Services } from '../../services.ts';
import { localSignIn } from '../../sign-in/local-sign-in.ts';
import { createPages, redirect } from '../../ui/page.ts';
import { userOf } from '../../middleware/session.ts';
import { maxSearchLength, normalizeReason, reasonErrors } from '../admin-layout.tsx';
import { SignInLinkView, UsersView } from './users-view.tsx';
import { UserView } from './user-view.tsx';
import { type Routes, createRoutes } from '../../routes.ts';
import { listWorkspacesOf } from '../../../workspaces/people.ts';
import {
  findOwnWorkspace,
  ownWorkspaceId,
  setPlan,
  type Workspace,
  type WorkspaceId,
} from '../../../workspaces/workspace.ts';

const usersPerPage = 25;
const actionsShown = 10;
const scanDays = 30;
const scansTimeoutMs = 5_000;
const flashTexts = {
  plan: 'The plan was changed. It applies from the next request on.',
  limits: 'The limits were changed. They apply within 10 seconds.',
  blocked: 'The account was blocked. Its codes answer 410 within 10 seconds.',
  known: 'The account is already blocked. The existing block was not changed.',
  unblocked: 'The account was unblocked. Its codes work again within 10 seconds.',
  sessions: 'All sessions of the account were ended.',
};
type UserFlash = keyof typeof flashTexts;

interface Change {
  action: OperatorAction;
  note?: string;
  flash: UserFlash;
  /** The message if there was nothing to change. */
  otherwise?: UserFlash;
}

/** Accounts: search, plan, block, sign-in help. Never what an account has in its codes. */
export function usersPages(parts: Services): Routes {
  const { db, reads, config, sessions, now } = parts;
  const routes = createRoutes('/admin/users');
  const local = localSignIn(routes, parts);
  const pages = createPages(parts, flashTexts);

  routes.get('operator', '/', async (ctx) => {
    const [email, after] = ['q', 'after'].map((name) =>
      queryText(ctx, name).slice(0, maxSearchLength).trim(),
    ) as [string, string];
    const [{ users, hasNext }, total] = await Promise.all([
      searchUsers(db, { email, limit: usersPerPage, after: after || undefined }),
      countUsers(db, email),
    ]);
    const address = (more: Record<string, string>) => {
      const query = new URLSearchParams({ ...(email && { q: email }), ...more }).toString();
      return query ? `/admin/users?${query}` : '/admin/users';
    };
    pages.show(ctx, UsersView, {
      users,
      total,
      email,
      firstPage: after ? address({}) : undefined,
      nextPage: hasNext ? address({ after: users.at(-1)?.id ?? '' }) : undefined,
    });
  });

  async function requireUser(ctx: Context): Promise<User> {
    const user = await findUser(db, String(ctx['params'].id));
    if (!user) throw new AppError('not_found', 'There is no such account.');
    return user;
  }

  async function requireOwnWorkspace(user: User): Promise<Workspace> {
    const workspace = await findOwnWorkspace(db, user);
    if (!workspace) throw new AppError('not_found', 'The workspace of this account was deleted.');
    return workspace;
  }

  const readScans = (id: WorkspaceId) =>
    reads.scans(id, (from) => readAccountScans(from, id, scanDays, now()));

  async function showUser(ctx: Context, user: User, errors: FieldError[] = [], refusal?: string) {
    const workspace = await findOwnWorkspace(db, user);
    const [figures, workspaces, use, block, actions, scans] = await Promise.all([
      readAccountFigures(db, user.id),
      listWorkspacesOf(db, user.id),
      readUse(db, ownWorkspaceId(user)),
      findAccountBlock(db, user.id),
      listActions(db, { target: user.id, limit: actionsShown }),
      // Counting them may take too long for an account with very many codes.
      withTimeout(scansTimeoutMs, readScans(ownWorkspaceId(user))).catch(() => undefined),
    ]);
    const marked = errors.length > 1 ? 'marked fields' : 'marked field';
    const error = refusal ?? (errors.length > 0 ? `Nothing was changed. Check the ${marked}.` : undefined);
    const { plan = 'free', limits = null } = workspace ?? {};
    const values = { plan, reason: field(ctx, 'reason'), ...limitValues(ctx, { limits }) };
    const planLimits = workspace && config.limits[plan];
    pages.show(
      ctx,
      UserView,
      { user, figures, workspaces, use, planLimits, block, actions, scans, form: { values, errors, error } },
      { status: error ? 400 : 200 },
    );
  }

  const submitForm = (ctx: Context, work: (user: User) => Promise<void>) =>
    requireUser(ctx).then((user) =>
      submit(
        () => work(user),
        (errors) => showUser(ctx, user, errors),
      ),
    );

  /** The change and its entry in the audit log, both or neither. Neither where `work` finds nothing to do (false). */
  async function change(
    ctx: Context,
    user: User,
    { action, note, flash, otherwise = flash }: Change,
    work: (transaction: Database) => Promise<boolean | void>,
  ): Promise<void> {
    const isChanged = await db.transaction(async (transaction) => {
      if ((await work(transaction)) === false) return false;
      await recordAction(transaction, { operatorId: userOf(ctx).id, action, target: user.id, note }, now());
      return true;
    });
    pages.redirectWithFlash(ctx, `/admin/users/${user.id}`, isChanged ? flash : otherwise);
  }

  routes.get('operator', '/:id', async (ctx) => showUser(ctx, await requireUser(ctx)));

  routes.post('operator', '/:id/plan', (ctx) =>
    submitForm(ctx, async (user) => {
      const plan = planNames.find((name) => name === field(ctx, 'plan'));
      if (!plan) throw invalid([{ field: 'plan', message: `must be one of ${planNames.join(', ')}` }]);
      const workspace = await requireOwnWorkspace(user);
      if (plan === workspace.plan) return redirect(ctx, `/admin/users/${user.id}`);
      const note = `${workspace.plan} → ${plan}`;
      await change(ctx, user, { action: 'plan.change', note, flash: 'plan' }, (transaction) =>
        setPlan(transaction, workspace.id, plan),
      );
    }),
  );

  routes.post('operator', '/:id/limits', (ctx) =>
    submitForm(ctx, async (user) => {
      const { id: workspaceId } = await requireOwnWorkspace(user);
      const by = { workspaceId, operatorId: userOf(ctx).id };
      const isChanged = await changeLimits(db, by, readLimitChanges(ctx), now());
      if (isChanged) pages.redirectWithFlash(ctx, `/admin/users/${user.id}`, 'limits');
      else redirect(ctx, `/admin/users/${user.id}`);
    }),
  );

  routes.post('operator', '/:id/block', (ctx) =>
    submitForm(ctx, async (user) => {
      const reason = normalizeReason(field(ctx, 'reason'));
      requireValid(reasonErrors(reason));
      if (user.isAdmin) return showUser(ctx, user, [], operatorText('An operator cannot be blocked'));
      const blocking: Change = {
        action: 'account.block',
        note: reason,
        flash: 'blocked',
        otherwise: 'known',
      };
      await change(ctx, user, blocking, (transaction) =>
        blockAccount(transaction, user.id, reason || null, now()),
      );
    }),
  );

  routes.post('operator', '/:id/unblock', async (ctx) => {
    const user = await requireUser(ctx);
    if (!(await findAccountBlock(db, user.id))) return showUser(ctx, user, [], 'The account is not blocked.');
    await change(ctx, user, { action: 'account.unblock', flash: 'unblocked' }, (transaction) =>
      unblockAccount(transaction, user.id),
    );
  });

  routes.post('operator', '/:id/sessions', async (ctx) => {
    const user = await requireUser(ctx);
    await change(ctx, user, { action: 'account.sessions', flash: 'sessions' }, (transaction) =>
      endSessionsOf(transaction, user.id),
    );
    // The operator's own session is one of them.
    if (user.id === userOf(ctx).id) redirect(ctx, '/signin');
  });

  local.post('operator', '/:id/link', async (ctx) => {
    const user = await requireUser(ctx);
    // Otherwise one operator could act in the name of another.
    if (user.isAdmin)
      return showUser(ctx, user, [], operatorText('There are no sign-in links for operators'));
    if (await findAccountBlock(db, user.id))
      return showUser(ctx, user, [], 'The account is blocked. Unblock it first.');
    const token = await db.transaction(async (transaction) => {
      const entry = { operatorId: userOf(ctx).id, action: 'account.link', target: user.id } as const;
      await recordAction(transaction, entry, now());
      return createSignInLink(transaction, user, now(), { isMailed: false });
    });
    await sessions.keepSecret(
      ctx,
      JSON.stringify({ signInLink: `${config.baseUrl}/signin/link/${token}`, userId: user.id }),
    );
    redirect(ctx, `/admin/users/${user.id}/link`);
  });

  local.get('operator', '/:id/link', async (ctx) => {
    const user = await requireUser(ctx);
    const secret = JSON.parse((await sessions.takeSecret(ctx)) ?? '{}') as Record<string, string | undefined>;
    // It is shown only once.
    if (!secret['signInLink'] || secret['userId'] !== user.id)
      return redirect(ctx, `/admin/users/${user.id}`);
    pages.show(ctx, SignInLinkView, { user, link: secret['signInLink'] });
  });
  return routes;
}

/** The form of limits. Throws where one of them is wrong. */
export function readLimitChanges(ctx: Context): LimitChanges {
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

/** Limits that were set for the account, or what was typed. */
export function limitValues(ctx: Context, { limits }: Pick<Workspace, 'limits'>): Record<string, string> {
  const isTyped = ctx.path.endsWith('/limits');
  return Object.fromEntries(
    limitNames.map((name) => [name, isTyped ? field(ctx, name) : String(limits?.[name] ?? '')]),
  );
}

function operatorText(sentence: string): string {
  return `${sentence}. Operators are managed on the command line: qrelay user admin, qrelay user password.`;
}
