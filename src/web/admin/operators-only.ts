import type { Context, Next } from 'koa';
import { AppError } from '../../errors.ts';
import { signedIn } from '../ui/page.ts';

/** Before any route: for everyone else, whatever the method, there is nothing here. */
export async function operatorsOnly(ctx: Context, next: Next): Promise<void> {
  if (signedIn(ctx)?.isAdmin !== true) throw new AppError('not_found', 'There is nothing at this address.');
  await next();
}
