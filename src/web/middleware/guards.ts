import type { Services } from '../services.ts';
import { type RateWindow, parseApiKey } from '../../accounts/api-keys.ts';
import { hasScope, type Scope } from '../../accounts/key-scopes.ts';
import { createRateLimiter } from '../../accounts/rate-limiter.ts';
import { personOf } from '../../accounts/users.ts';
import { AppError } from '../../errors.ts';
import { anonymousHourlyQuota } from '../../limits.ts';
import { hasBearerToken } from '../../telemetry/metrics-server.ts';
import { type Actor, runAs } from '../../store/actor.ts';
import type { Database } from '../../store/database.ts';
import { withSlugNowOrBefore } from '../../workspaces/former-slugs.ts';
import { findMemberships, hasRole, type Membership, type Role } from '../../workspaces/members.ts';
import { findWorkspace, type WorkspaceId } from '../../workspaces/workspace.ts';
import { findWorkspaceOfCode } from '../../codes/workspace-of-code.ts';
import type { Guards } from '../routes.ts';
import { redirect } from '../ui/page.ts';
import { type Sessions, signedIn, userOf } from './session.ts';
import { isNavigation, linkTo, slugOf } from './workspace-addresses.ts';
import { callerAddress, noteAccess } from './caller.ts';
import { retryAfterSeconds } from './errors.ts';
import type { Context, Next } from 'koa';
import { validate as isUuid } from 'uuid';

interface GuardParts {
  authenticateKey: Guards['key'];
  metricsToken: string | undefined;
  viewDemo: ViewDemo;
  db: Database;
  sessions: Pick<Sessions, 'lastSlug' | 'noteSlug' | 'sessionHash'>;
}

/** The guard of each access that a route can declare. They run inside the matched route: see `serveRoutes`. */
export function createGuards({ authenticateKey, metricsToken, viewDemo, db, sessions }: GuardParts): Guards {
  /** Finds the workspace of the request, and refuses those who may not do this in it. */
  async function needMember(
    ctx: Context,
    next: Next,
    needed: Role,
    { canBeDemo = false }: { canBeDemo?: boolean } = {},
  ): Promise<void> {
    const slug = slugOf(ctx);
    if (slug === undefined && !signedIn(ctx) && (await viewDemo(ctx))) {
      // The one place where the demo refuses what it does not show.
      if (!canBeDemo) throw notInDemo(ctx.method);
      await next();
      return;
    }
    await needUser(ctx, async () => {
      const opensOldAddress = slug === undefined && isNavigation(ctx);
      const memberships = await findMemberships(
        db,
        userOf(ctx).id,
        slug ?? (opensOldAddress ? sessions.lastSlug(ctx) : undefined),
      );
      // After the last workspace of the person is gone.
      if (memberships.length === 0 && isNavigation(ctx)) return redirect(ctx, '/workspaces/new');
      const membership = await meantOf(ctx, memberships);
      if (!membership) {
        // The links of the error page lead to a workspace that the person can open.
        if (memberships[0]) linkTo(ctx, memberships[0].workspace.slug);
        throw nothingHere();
      }
      const current = membership.workspace.slug;
      if (slug !== current && isNavigation(ctx)) return redirect(ctx, `/w/${current}${ctx.url}`);
      // A form that was opened before the slug changed.
      if (slug !== undefined && slug !== current) linkTo(ctx, current);
      // Before a refusal, too: its page shows what the role may do.
      ctx.state['membership'] = membership;
      ctx.state['memberships'] = [membership, ...memberships.filter((each) => each !== membership)];
      ctx.state['isOfWorkspace'] = true;
      if (!hasRole(membership.role, needed)) throw notAllowed(needed);
      noteAccess(ctx, {
        userId: userOf(ctx).id,
        workspaceId: membership.workspace.id,
        needed,
        session: sessions.sessionHash(ctx),
      });
      if (slug !== undefined && memberships.length > 1 && isNavigation(ctx)) sessions.noteSlug(ctx, slug);
      await asPerson(ctx, next);
    });
  }

  /** The membership that an address means, of those of the person. */
  async function meantOf(ctx: Context, memberships: Membership[]): Promise<Membership | undefined> {
    const slug = slugOf(ctx);
    const [first] = memberships;
    const withId = (id: WorkspaceId | undefined) => memberships.find(({ workspace }) => workspace.id === id);
    if (slug !== undefined) {
      if (!first || first.workspace.slug === slug) return first;
      return withId((await withSlugNowOrBefore(db, slug).select('id'))?.id);
    }
    const codeId = /^\/codes\/([0-9a-f-]{36})(?:\/|$)/.exec(ctx.path)?.[1];
    if (!isNavigation(ctx) || memberships.length < 2 || codeId === undefined || !isUuid(codeId)) return first;
    return withId(await findWorkspaceOfCode(db, codeId)) ?? first;
  }

  /** Pages that are not about a workspace show the navigation of the one that the person would open from there. */
  async function withNavigation(ctx: Context, next: Next): Promise<void> {
    const memberships = await findMemberships(db, userOf(ctx).id, sessions.lastSlug(ctx));
    const [last] = memberships;
    ctx.state['membership'] = last;
    ctx.state['memberships'] = memberships;
    if (last && memberships.length > 1) linkTo(ctx, last.workspace.slug);
    await next();
  }

  return {
    stranger: (ctx, next) =>
      signedIn(ctx)
        ? withNavigation(ctx, () => asPerson(ctx, next))
        : // Whoever signs up or in is named by the transaction that does it.
          attribute(ctx, { kind: 'service' }, next),
    'viewer or demo': (ctx, next) => needMember(ctx, next, 'viewer', { canBeDemo: true }),
    viewer: (ctx, next) => needMember(ctx, next, 'viewer'),
    'editor or demo': (ctx, next) => needMember(ctx, next, 'editor', { canBeDemo: true }),
    editor: (ctx, next) => needMember(ctx, next, 'editor'),
    owner: (ctx, next) => needMember(ctx, next, 'owner'),
    person: async (ctx, next) => {
      if (!signedIn(ctx) && (await viewDemo(ctx))) throw notInDemo(ctx.method);
      await needUser(ctx, () => withNavigation(ctx, () => asPerson(ctx, next)));
    },
    // For everyone else, whatever the method, there is nothing here.
    operator: (ctx, next) =>
      signedIn(ctx)?.isAdmin === true
        ? // Who it was is in the audit log of the operators, and nobody else's business.
          withNavigation(ctx, () => attribute(ctx, { kind: 'operator' }, next))
        : Promise.reject(nothingHere()),
    key: authenticateKey,
    monitor: (ctx, next) =>
      metricsToken !== undefined && hasBearerToken(ctx.get('Authorization'), metricsToken)
        ? next()
        : Promise.reject(nothingHere()),
  };
}

/** Attributes what the request changes, if it may change anything. */
async function attribute(ctx: Context, actor: Actor, next: Next): Promise<void> {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') await next();
  else await runAs({ ...actor, requestId: ctx.state['requestId'] as string }, next);
}

async function asPerson(ctx: Context, next: Next): Promise<void> {
  await attribute(ctx, personOf(userOf(ctx)), next);
}

/** Whether the visitor looks at the demo account, which is then the user of the request. */
type ViewDemo = (ctx: Context) => Promise<boolean>;

export function createViewDemo({
  demo,
  sessions,
  secrets,
  config: { trustProxyHops },
}: Pick<Services, 'demo' | 'sessions' | 'secrets' | 'config'>): ViewDemo {
  return async (ctx) => {
    if (!demo || !sessions.wantsDemo(ctx)) return false;
    const client = secrets.hashAddress(callerAddress(ctx, trustProxyHops));
    const account = await demo.open(client);
    if (!account) return false;
    ctx.state['user'] = account.user;
    ctx.state['membership'] = { workspace: account.workspace, role: 'viewer' } satisfies Membership;
    ctx.state['isDemo'] = true;
    ctx.state['demoClient'] = client;
    return true;
  };
}

function notAllowed(needed: Role): AppError {
  const message = `Only ${needed === 'owner' ? 'owners' : 'owners and editors'} of this workspace can do this. Ask one of its owners.`;
  return new AppError('validation_error', message, { status: 403 });
}

function notInDemo(method: string): AppError {
  const message =
    method === 'GET' || method === 'HEAD'
      ? 'This page is not part of the demo.'
      : 'The demo is for looking: nothing in it can be changed.';
  return new AppError('validation_error', `${message} In an account of your own, you can do this.`, {
    status: 403,
  });
}

/** Redirects strangers to the sign-in page, which returns here afterwards. */
export async function needUser(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  if (signedIn(ctx)) {
    await next();
    return;
  }
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  const signIn = isRead ? `/signin?next=${encodeURIComponent(ctx.originalUrl)}` : '/signin?ended';
  // A script opens the page itself. An image or an event stream cannot follow a redirect to it.
  if (ctx.accepts('html', 'json') === 'json') throw sessionEnded(signIn);
  if (!ctx.accepts('html')) throw nothingHere();
  redirect(ctx, signIn);
}

function sessionEnded(signIn: string): AppError {
  return new AppError('validation_error', 'Your session has ended. Sign in again.', {
    status: 401,
    headers: { Location: signIn },
  });
}

function nothingHere(): AppError {
  return new AppError('not_found', 'There is nothing at this address.');
}

/** Authenticates and rate limits everything below `/api/`, and sets the rate limit headers of every response. */
export function authenticate({
  db,
  secrets,
  config: { baseUrl, trustProxyHops, limits },
  now,
}: Pick<Services, 'db' | 'secrets' | 'config' | 'now'>) {
  const limiter = createRateLimiter(db, limits);

  /** `needed`: the scope of the route, if there is one at the address. */
  return async (ctx: Context, next: Next, needed?: Scope): Promise<void> => {
    // Sent where the database does not answer.
    setRateLimit(ctx, {
      limit: anonymousHourlyQuota,
      remaining: 0,
      resetAt: Math.ceil(now().getTime() / 1000) + retryAfterSeconds,
    });
    const address = secrets.hashAddress(callerAddress(ctx, trustProxyHops));
    const authentication = await limiter.check(parseApiKey(bearerToken(ctx)), address);
    const { workspaceId, key, isBlocked, scopes, isAllowed, window } = authentication;
    setRateLimit(ctx, window);
    if (!isAllowed) throw rateLimited(window);
    if (workspaceId === undefined) throw invalidApiKey();
    if (isBlocked) throw blockedAccount();
    if (needed && !hasScope(scopes, needed)) {
      const { slug } = await findWorkspace(db, workspaceId);
      throw insufficientScope(needed, `${baseUrl}/w/${slug}/keys`);
    }
    ctx.state['workspaceId'] = workspaceId;
    ctx.state['rateWindow'] = window;
    if (key) noteAccess(ctx, { keyId: key.id });
    return key ? attribute(ctx, { kind: 'key', ...key }, next) : next();
  };
}

function bearerToken(ctx: Context): string {
  return /^Bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1] ?? '';
}

function setRateLimit(
  ctx: Context,
  { limit, remaining, resetAt }: Pick<RateWindow, 'limit' | 'remaining' | 'resetAt'>,
): void {
  ctx.set('X-RateLimit-Limit', String(limit));
  ctx.set('X-RateLimit-Remaining', String(remaining));
  ctx.set('X-RateLimit-Reset', String(resetAt));
}

/** A duration, so that the clocks of the server and the client need not agree. */
function rateLimited({ limit, resetInMs }: RateWindow): AppError {
  const waitSeconds = Math.max(1, Math.ceil(resetInMs / 1000));
  return new AppError(
    'rate_limited',
    `The limit of ${limit} requests per hour is exceeded. Try again in ${waitSeconds} seconds.`,
    { headers: { 'Retry-After': String(waitSeconds) } },
  );
}

/** The same for a missing, malformed, unknown, revoked and expired key, so that the response does not reveal which keys exist. */
function invalidApiKey(): AppError {
  return new AppError(
    'invalid_api_key',
    'A valid API key is required. Send it in the header Authorization: Bearer <API_KEY>.',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );
}

/** Only for whoever has a valid key, so it reveals nothing to others. */
function blockedAccount(): AppError {
  return new AppError(
    'invalid_api_key',
    'The workspace of this API key is blocked. Contact the operator of this service.',
    { headers: { 'WWW-Authenticate': 'Bearer' }, code: 'account_blocked' },
  );
}

/** RFC 6750 has the header, from which programs learn the scope. */
function insufficientScope(needed: Scope, keysPage: string): AppError {
  return new AppError(
    'invalid_api_key',
    `This operation needs an API key with the scope ${needed}. Create one at ${keysPage}.`,
    {
      status: 403,
      code: 'insufficient_scope',
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed}"` },
    },
  );
}
