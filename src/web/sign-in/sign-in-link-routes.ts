import { commonPasswordError, passwordErrors } from '../../accounts/passwords.ts';
import { findLinkedUser, signInByLink, useSignInLink } from '../../accounts/account-links.ts';
import { countAccess, hasAccess } from '../../accounts/api-keys.ts';
import type { FieldError } from '../../errors.ts';
import { type AccountFlash, reviewPath } from '../account/account-flash.ts';
import { field } from '../middleware/forms.ts';
import { type PageParts, show, visitorOf } from '../ui/page.ts';
import { mailLater } from './ask-for-confirmation.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { DeadLinkView, NewPasswordView, SignInByLinkView } from './sign-in-link-view.tsx';
import { createRoutes, type Routes } from '../routes.ts';

const home = '/codes';

/** The link in a mail, or from an operator, for a user who cannot sign in: its owner chooses a new password. */
export function signInLinkPages(parts: PageParts): Routes {
  const { db, passwords, sessions, sendMail, now } = parts;
  const routes = createRoutes();

  routes.get('stranger', '/signin/link/:token', async (ctx) => {
    const [visitor, token] = [visitorOf(ctx, parts), String(ctx.params['token'])];
    const found = await findLinkedUser(db, token, now());
    if (!found) return show(ctx, DeadLinkView, { visitor, canAskAgain: sendMail !== undefined }, 404);
    const View = ctx.query['keep'] === '' && found.mayKeepPassword ? SignInByLinkView : NewPasswordView;
    show(ctx, View, { visitor, token, email: found.user.email });
  });

  routes.post('stranger', '/signin/link/:token', async (ctx) => {
    const [visitor, token] = [visitorOf(ctx, parts), String(ctx.params['token'])];
    if (field(ctx, 'keep') === 'on') {
      const signedIn = await signInByLink(db, token, now());
      if (!signedIn) return show(ctx, DeadLinkView, { visitor, canAskAgain: sendMail !== undefined }, 404);
      return completeSignIn(ctx, parts, signedIn, home);
    }
    const found = await findLinkedUser(db, token, now());
    if (!found) return show(ctx, DeadLinkView, { visitor, canAskAgain: sendMail !== undefined }, 404);
    const { user } = found;
    const password = field(ctx, 'newPassword');
    const refuse = (errors: FieldError[]) =>
      show(ctx, NewPasswordView, { visitor, token, email: user.email, errors }, 400);
    const errors = passwordErrors('newPassword', password, user.email);
    if (errors.length > 0) return refuse(errors);
    if (await passwords.isCommon(password, user.email)) return refuse([commonPasswordError('newPassword')]);
    const used = await useSignInLink(db, token, await passwords.hash(password), now());
    if (!used) return show(ctx, DeadLinkView, { visitor, canAskAgain: sendMail !== undefined }, 404);
    await mailLater(parts, { kind: 'password-changed', userId: used.user.id });
    const isRevoked = hasAccess(used.revoked);
    const isToReview = isRevoked || hasAccess(await countAccess(db, used.user.id));
    await completeSignIn(ctx, parts, used.user, isToReview ? reviewPath : home);
    // Last, because signing in clears it.
    if (isRevoked) sessions.setFlash(ctx, '/account', 'revoked' satisfies AccountFlash);
  });
  return routes;
}
