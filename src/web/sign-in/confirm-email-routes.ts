import { confirmEmail, findConfirmation } from '../../accounts/account-links.ts';
import { type PageParts, show, visitorOf } from '../ui/page.ts';
import { mailLater } from './ask-for-confirmation.ts';
import { ConfirmedView, ConfirmEmailView, DeadConfirmationView } from './confirm-email-view.tsx';
import { createRoutes, type Routes } from '../routes.ts';

/** The link of a mail that confirms an address. It needs no session: mails are often read on another device. */
export function confirmEmailPages(parts: PageParts): Routes {
  const { db, now } = parts;
  const routes = createRoutes();

  routes.get('stranger', '/signin/confirm/:token', async (ctx) => {
    const [visitor, token] = [visitorOf(ctx, parts), String(ctx.params['token'])];
    const found = await findConfirmation(db, token, now());
    if (!found) return show(ctx, DeadConfirmationView, { visitor }, 404);
    show(ctx, ConfirmEmailView, { visitor, token, email: found.email });
  });

  routes.post('stranger', '/signin/confirm/:token', async (ctx) => {
    const token = String(ctx.params['token']);
    const confirmed = await confirmEmail(db, token, now());
    // As for a dead link: that another account has the address is nobody's business.
    if (!confirmed || confirmed === 'taken')
      return show(ctx, DeadConfirmationView, { visitor: visitorOf(ctx, parts) }, 404);
    const { user, email } = confirmed;
    if (user.email.toLowerCase() !== email.toLowerCase())
      await mailLater(parts, { kind: 'email-changed', userId: user.id, oldEmail: user.email });
    const visitor = visitorOf(ctx, parts);
    // Read before the change.
    const own = visitor.email === user.email ? { ...visitor, email } : visitor;
    show(ctx, ConfirmedView, { visitor: own, email });
  });
  return routes;
}
