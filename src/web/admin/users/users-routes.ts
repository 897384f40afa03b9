import type { Context } from 'koa';
import { blockAccount, findAccountBlock, unblockAccount } from '../../../accounts/account-blocks.ts';
import { type OperatorAction, listActions, recordAction } from '../../../accounts/operator-actions.ts';
import { type User, countUsers, findUser, readAccountFigures, searchUsers } from '../../../accounts/users.ts';
import { endSessionsOf } from '../../../accounts/sessions.ts';
import { createSignInLink } from '../../../accounts/account-links.ts';
import { AppError, type FieldError } from '../../../errors.ts';
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

const usersPerPage = 25;
const actionsShown = 10;
const flashTexts = {
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

/** Accounts: search, block, sign-in help. Never what an account has in its codes. */
export function usersPages(parts: Services): Routes {
  const { db, config, sessions, now } = parts;
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

  async function showUser(ctx: Context, user: User, errors: FieldError[] = [], refusal?: string) {
    const [figures, workspaces, block, actions] = await Promise.all([
      readAccountFigures(db, user.id),
      listWorkspacesOf(db, user.id),
      findAccountBlock(db, user.id),
      listActions(db, { target: user.id, about: 'others', limit: actionsShown }),
    ]);
    const marked = errors.length > 1 ? 'marked fields' : 'marked field';
    const error = refusal ?? (errors.length > 0 ? `Nothing was changed. Check the ${marked}.` : undefined);
    const values = { reason: field(ctx, 'reason') };
    pages.show(
      ctx,
      UserView,
      { user, figures, workspaces, block, actions, form: { values, errors, error } },
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

function operatorText(sentence: string): string {
  return `${sentence}. Operators are managed on the command line: qrelay user admin, qrelay user password.`;
}
