import type { Context, Next } from 'koa';
import { clientAddress } from '../../http/client-address.ts';
import type { GrantedAccess } from '../../accounts/lost-access.ts';
import type { Caller, FairScheduler } from '../../runtime/fair-scheduler.ts';
import type { WatchedAccess } from '../access-watch.ts';
import type { Downloader } from '../downloads.ts';
import { membershipOf, userOf } from './session.ts';

/**
 * The workspace behind a request of the API or of a page. Its turn passes if it disconnects while it waits. All visitors of the
 * demo look at the same one, so they take turns by address.
 */
export function callerOf(ctx: Context): Caller {
  const ofKey = ctx.state['workspaceId'] as string | undefined;
  const known = ctx.state['caller'] as Caller | undefined;
  if (known) return known;
  const { req, res } = ctx;
  const gone = new AbortController();
  if (res.destroyed || req.socket.destroyed) gone.abort();
  else res.once('close', () => gone.abort());
  const demoClient = ctx.state['demoClient'] as string | undefined;
  const key =
    demoClient === undefined
      ? (ofKey ?? membershipOf(ctx)?.workspace.id ?? userOf(ctx).id)
      : `demo ${demoClient}`;
  const caller: Caller = { key, signal: gone.signal };
  ctx.state['caller'] = caller;
  return caller;
}

/** For a guard that has let a request in. */
export function noteAccess(ctx: Context, access: GrantedAccess): void {
  ctx.state['access'] = access;
}

/** What the guard of the route has let in: nobody has to say again which role the route needs. */
export function accessOf(ctx: Context): WatchedAccess {
  const access = ctx.state['access'] as GrantedAccess | undefined;
  if (access) return access;
  if (ctx.state['isDemo'] === true) return 'demo';
  throw new Error('A download or stream needs a route that is for members or keys');
}

export const downloaderOf = (ctx: Context): Downloader => ({ ...callerOf(ctx), access: accessOf(ctx) });

/** Receives and processes a request when it is the turn of its account. */
export function inTurn(scheduler: FairScheduler) {
  return (ctx: Context, next: Next): Promise<void> => {
    const caller = callerOf(ctx);
    ctx.state['isSlotWanted'] = () => scheduler.isWanted(caller.key);
    return scheduler.run(caller, next);
  };
}

/** Whether others wait for the slot of this request. Undefined if it has none. */
export function slotWantedOf(ctx: Context): (() => boolean) | undefined {
  return ctx.state['isSlotWanted'] as (() => boolean) | undefined;
}

/** The client's address, behind `trustProxyHops` trusted proxies. */
export function callerAddress(ctx: Context, trustProxyHops: number): string {
  return clientAddress(ctx.req.socket.remoteAddress, ctx.get('X-Forwarded-For') || undefined, trustProxyHops);
}
