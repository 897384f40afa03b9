import type { Context } from 'koa';
import { clientAddress } from '../../http/client-address.ts';

/** The client's address, behind `trustProxyHops` trusted proxies. */
export function callerAddress(ctx: Context, trustProxyHops: number): string {
  return clientAddress(ctx.req.socket.remoteAddress, ctx.get('X-Forwarded-For') || undefined, trustProxyHops);
}
