import type { Context } from 'koa';
import { linkIdentity, useIdentity } from '../../accounts/identities.ts';
import { findLinkableEmail, signInByIdentity } from '../../accounts/identity-sign-in.ts';
import { type OpenIdRequest, takeOpenIdRequest } from '../../accounts/openid-requests.ts';
import { confirmEmailByProvider } from '../../accounts/users.ts';
import { preferredLanguage } from '../../http/preferred-language.ts';
import { type AuthenticatedIdentity, OpenIdError } from '../../net/openid-provider.ts';
import type { AccountFlash } from '../account/account-routes.ts';
import { field } from '../middleware/forms.ts';
import { signedIn } from '../middleware/session.ts';
import { type Routes, createRoutes } from '../routes.ts';
import { type SecurityFlash, securityPath } from '../security/security-routes.ts';
import type { Services } from '../services.ts';
import { createPages, redirectWithFlash } from '../ui/page.ts';
import { mailLater } from './mail-requests.ts';
import { explainFailure, requireProvider, sendToProvider } from './openid-steps.ts';
import { completeSignIn, home, safeReturnPath } from './sign-in-steps.ts';
import { SignInView } from './sign-in-view.tsx';

/** How much earlier than the request the provider's clock may say that somebody was authenticated. */
const clockToleranceMs = 60_000;
const unknownRequest =
  'This sign-in took more than ten minutes, was finished before, or was started in another browser. Start again.';

/** Signing in with the OpenID provider, and everything else that it sends browsers back for. */
export function openIdPages(parts: Services): Routes {
  const { db, config, sessions, now } = parts;
  const { name = '', domains = [] } = config.openId ?? {};
  const routes = createRoutes();
  const pages = createPages(parts);
  const refusals = {
    unverified: `${name} does not say that your email address is verified, so you cannot sign in with it. Verify it there, and try again.`,
    domain: `Your email address at ${name} is not one that may sign in here. Contact the operator of this service.`,
    'no-account':
      'There is no account with your email address, and sign-up is closed. Contact the operator of this service to get one.',
    'other-identity': `The account with your email address belongs to somebody else at ${name}. Contact the operator of this service.`,
    blocked: 'This account is blocked. Contact the operator of this service.',
  };

  const showSignIn = (ctx: Context, error: string, status: number, next?: string) =>
    pages.show(ctx, SignInView, { next, form: { values: {}, errors: [], error } }, { status });
  const toSecurity = (ctx: Context, flash: SecurityFlash) =>
    redirectWithFlash(ctx, parts, securityPath, flash);

  routes.post('stranger', '/signin/oidc', async (ctx) => {
    const next = safeReturnPath(field(ctx, 'next'));
    const refused = await sendToProvider(ctx, parts, { kind: 'sign-in', next });
    if (refused) showSignIn(ctx, refused.error, refused.status, next);
  });

  routes.get('stranger', '/signin/oidc/callback', async (ctx) => {
    const provider = requireProvider(parts);
    const browser = sessions.browser(ctx) ?? '';
    const request = await takeOpenIdRequest(db, browser, ctx.query['state'], now());
    if (!request) return showSignIn(ctx, unknownRequest, 400);
    try {
      const identity = await provider.redeem(ctx.querystring, request);
      await finish(ctx, request, identity);
    } catch (error) {
      fail(ctx, request, error);
    }
  });

  async function finish(
    ctx: Context,
    { purpose, startedAt }: OpenIdRequest,
    identity: AuthenticatedIdentity,
  ) {
    if (purpose.kind === 'sign-in') return signIn(ctx, identity, purpose.next);
    // Somebody else may have signed in meanwhile.
    if (signedIn(ctx)?.id !== purpose.userId) return showSignIn(ctx, unknownRequest, 400);
    if (purpose.kind === 'link') return link(ctx, identity, purpose.userId);
    const earliest = startedAt.getTime() - clockToleranceMs;
    const isRepeated = !identity.authenticatedAt || identity.authenticatedAt.getTime() >= earliest;
    if (!isRepeated || (await useIdentity(db, identity, now()))?.id !== purpose.userId)
      return toSecurity(ctx, 'confirmFailed');
    await sessions.confirm(ctx);
    redirectWithFlash(ctx, parts, purpose.next, 'confirmed' satisfies AccountFlash & SecurityFlash);
  }

  function fail(ctx: Context, { purpose }: OpenIdRequest, error: unknown): void {
    const text = explainFailure(parts, error);
    if (purpose.kind === 'link') return toSecurity(ctx, 'linkFailed');
    if (purpose.kind === 'confirm') return toSecurity(ctx, 'confirmFailed');
    const isDown = error instanceof OpenIdError && error.reason === 'unreachable';
    showSignIn(ctx, text, isDown ? 503 : 401, purpose.next);
  }

  async function signIn(ctx: Context, identity: AuthenticatedIdentity, next = home): Promise<void> {
    const rules = {
      domains,
      // With closed sign-ups, a list of domains says who gets an account.
      mayCreate: config.signUps === 'open' || domains.length > 0,
      language: preferredLanguage(ctx.get('Accept-Language')),
      workspace: config.openId?.workspace,
      ofPlans: config.limits,
    };
    const result = await signInByIdentity(db, identity, rules, now());
    if ('refused' in result) return showSignIn(ctx, refusals[result.refused], 403, next);
    const { user, isLinked, isClaimed, join } = result;
    const slug = config.openId?.workspace?.slug;
    if (join === 'no-workspace')
      parts.log.warn(
        { slug },
        'OIDC_WORKSPACE names no workspace, so somebody who has signed in did not join one',
      );
    if (join === 'full')
      parts.log.warn(
        { slug, userId: user.id },
        'the workspace of OIDC_WORKSPACE has as many members as it may, so somebody who has signed in did not join it; raise its limit "members" and invite them',
      );
    if (isLinked)
      await mailLater(parts, { kind: 'second-factor-changed', userId: user.id, change: 'identity-added' });
    await completeSignIn(ctx, parts, user, isClaimed ? '/account' : next, { isConfirmed: true });
    // Last, because signing in clears it.
    if (isClaimed) sessions.setFlash(ctx, '/account', 'claimed' satisfies AccountFlash);
  }

  async function link(ctx: Context, identity: AuthenticatedIdentity, userId: string): Promise<void> {
    const found = await findLinkableEmail(identity, domains);
    if ('refused' in found) return toSecurity(ctx, 'linkRefused');
    const { issuer, subject } = identity;
    const outcome = await linkIdentity(db, { issuer, subject, email: found.email, userId }, now());
    if (outcome === 'taken') return toSecurity(ctx, 'linkTaken');
    if (outcome === 'other') return toSecurity(ctx, 'linkOther');
    await confirmEmailByProvider(db, { userId, email: found.email });
    if (outcome === 'linked')
      await mailLater(parts, { kind: 'second-factor-changed', userId, change: 'identity-added' });
    toSecurity(ctx, 'linked');
  }
  return routes;
}
