import type { Context } from 'koa';
import { clientAddress } from '../../http/client-address.ts';

/** Whose request it is, as far as the proxies in front of us can be believed. */
export function callerAddress(ctx: Context, trustProxyHops: number): string {
  return clientAddress(ctx.req.socket.remoteAddress, ctx.get('X-Forwarded-For') || undefined, trustProxyHops);
}
