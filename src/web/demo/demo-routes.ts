import type { Context } from 'koa';
import type { DemoAccount } from '../../demo/demo-account.ts';
import { AppError } from '../../errors.ts';
import { callerAddress } from '../middleware/caller.ts';
import { signedIn } from '../middleware/session.ts';
import { type Routes, createRoutes } from '../routes.ts';
import type { Services } from '../services.ts';
import { redirect } from '../ui/page.ts';

/** The ways into the demo, and out of it. Its pages are those of every account: see the guard for viewers. */
export function demoPages({ demo, secrets, sessions, config }: Services): Routes {
  const routes = createRoutes('/demo');

  async function open(ctx: Context): Promise<DemoAccount> {
    const account = await demo?.open(secrets.hashAddress(callerAddress(ctx, config.trustProxyHops)));
    if (!account) throw new AppError('not_found', 'There is no demo here.');
    return account;
  }

  async function enter(ctx: Context, pageOf: (account: DemoAccount) => string): Promise<void> {
    const account = await open(ctx);
    // Whoever has an account sees their own.
    if (signedIn(ctx)) return redirect(ctx, '/codes');
    sessions.enterDemo(ctx);
    redirect(ctx, pageOf(account));
  }

  routes.get('stranger', '/', (ctx) => enter(ctx, () => '/codes'));
  routes.get('stranger', '/code', (ctx) => enter(ctx, ({ codeId }) => `/codes/${codeId}`));
  routes.get('stranger', '/designer', (ctx) => enter(ctx, ({ codeId }) => `/codes/${codeId}/design`));
  // What the code on the landing page encodes: its share link exists only after the account was created.
  routes.get('stranger', '/scan', async (ctx) => redirect(ctx, `/r/${(await open(ctx)).shareToken}`));
  routes.post('stranger', '/leave', (ctx) => {
    sessions.leaveDemo(ctx);
    redirect(ctx, '/');
  });
  return routes;
}
