import type { Context } from 'koa';
import { countSecondFactors, isSecondFactorNeeded } from '../../accounts/second-factors.ts';
import type { User } from '../../accounts/users.ts';
import { type PageParts, redirect } from '../ui/page.ts';

/** After the right password: signs in, or asks for the second factor first. */
export async function completeSignIn(
  ctx: Context,
  { db, sessions }: PageParts,
  user: User,
  next: string,
): Promise<void> {
  if (isSecondFactorNeeded(await countSecondFactors(db, user.id))) {
    await sessions.startChallenge(ctx, { userId: user.id, challenge: null });
    return redirect(ctx, `/signin/second?next=${encodeURIComponent(next)}`);
  }
  await sessions.signIn(ctx, user);
  redirect(ctx, next);
}
