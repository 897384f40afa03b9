import type { Context, Next } from 'koa';
import type { Reads } from '../../store/reads.ts';
import { signedIn } from '../ui/page.ts';

/** After a form was accepted, and before the browser learns of it: the next list must show the change. */
export function markChanges(reads: Reads) {
  return async (ctx: Context, next: Next): Promise<void> => {
    await next();
    const user = signedIn(ctx);
    if (user && ctx.method === 'POST' && ctx.status < 400) await reads.codesChanged(user.id);
  };
}
