import { randomBytes } from 'node:crypto';
import type { Context, Next } from 'koa';
import { UAParser } from 'ua-parser-js';
import {
  confirmSession,
  endSession,
  findSession,
  keepOneTimeSecret,
  listSessions,
  type OpenSession,
  sessionLifetimeMs,
  startSession,
  takeOneTimeSecret,
} from '../../accounts/sessions.ts';
import { digestOf, type ServiceSecrets } from '../../accounts/secrets.ts';
import {
  challengeLifetimeMs,
  findChallenge,
  type PendingSignIn,
  startChallenge,
  takeChallenge,
} from '../../accounts/passkeys.ts';
import type { Device } from '../../accounts/sign-in.ts';
import type { User } from '../../accounts/users.ts';
import type { Config } from '../../config.ts';
import { dayMs, hourMs } from '../../runtime/units.ts';
import type { Database } from '../../store/database.ts';
import type { Membership } from '../../workspaces/members.ts';
import type { Workspace, WorkspaceId } from '../../workspaces/workspace.ts';

const flashMs = 120_000;
/** How long an account may be changed after the OpenID provider has confirmed that it is the owner. */
const confirmationMs = 10 * 60_000;
/** How long a browser stays in the demo. */
const demoMs = 2 * hourMs;
/** Browsers limit the lifetime of cookies to about this. */
const visitorMs = 365 * dayMs;

export type Sessions = ReturnType<typeof createSessions>;

interface SessionParts {
  db: Database;
  secrets: ServiceSecrets;
  /** Whether BASE_URL is https. */
  isSecure: boolean;
  now: () => Date;
}

export function createSessions({ db, secrets, isSecure, now }: SessionParts) {
  // Browsers accept a __Host- cookie only from this exact host, over https.
  const prefix = isSecure ? '__Host-' : '';
  const sessionCookie = `${prefix}qrelay-session`;
  const visitorCookie = `${prefix}qrelay-visitor`;
  const deviceCookie = `${prefix}qrelay-device`;
  const challengeCookie = `${prefix}qrelay-challenge`;
  const flashCookie = `${prefix}qrelay-flash`;
  const demoCookie = `${prefix}qrelay-demo`;
  const workspaceCookie = `${prefix}qrelay-workspace`;
  const visitorOf = (ctx: Context) => ctx.state['visitor'] as string | undefined;

  function setCookie(ctx: Context, name: string, value: string, lifetimeMs: number): void {
    const attributes = [
      `${name}=${value}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      `Max-Age=${Math.floor(lifetimeMs / 1000)}`,
    ];
    if (isSecure) attributes.push('Secure');
    ctx.append('Set-Cookie', attributes.join('; '));
  }

  function clearFlash(ctx: Context): void {
    if (ctx.cookies.get(flashCookie)) setCookie(ctx, flashCookie, '', 0);
  }

  const textOf = (visitor: string, user: User) => `${visitor} ${user.id}`;

  return {
    /** Finds the signed-in user, and gives each visitor the cookie that CSRF tokens are derived from. */
    async middleware(ctx: Context, next: Next): Promise<void> {
      const token = ctx.cookies.get(sessionCookie);
      const session = token ? await findSession(db, token, now()) : undefined;
      ctx.state['user'] = session?.user;
      ctx.state['confirmedAt'] = session?.confirmedAt;
      // Stays the same when a session begins or ends, so that an open form can still be sent.
      const visitor = ctx.cookies.get(visitorCookie);
      ctx.state['visitor'] = visitor;
      if (!visitor && ctx.method === 'GET') {
        const fresh = randomBytes(16).toString('base64url');
        ctx.state['visitor'] = fresh;
        setCookie(ctx, visitorCookie, fresh, visitorMs);
      }
      await next();
    },
    /** Starts a new session, so that a session id known to an attacker becomes useless. */
    async signIn(ctx: Context, user: User, { isConfirmed = false } = {}): Promise<void> {
      const previous = ctx.cookies.get(sessionCookie);
      if (previous) await endSession(db, previous);
      setCookie(
        ctx,
        sessionCookie,
        await startSession(db, user.id, now(), {
          device: describeDevice(ctx.get('User-Agent')),
          passwordHash: user.passwordHash,
          isConfirmed,
        }),
        sessionLifetimeMs,
      );
      clearFlash(ctx);
      if (ctx.cookies.get(demoCookie)) setCookie(ctx, demoCookie, '', 0);
      const visitor = visitorOf(ctx);
      if (visitor) setCookie(ctx, deviceCookie, secrets.deviceToken(visitor, user), visitorMs);
    },
    /** The sessions of the signed-in user. */
    async list(ctx: Context): Promise<OpenSession[]> {
      const user = ctx.state['user'] as User | undefined;
      return user ? listSessions(db, user.id, ctx.cookies.get(sessionCookie) ?? '', now()) : [];
    },
    async startChallenge(ctx: Context, challenge: PendingSignIn): Promise<void> {
      const earlier = ctx.cookies.get(challengeCookie);
      if (earlier) await takeChallenge(db, earlier, now());
      setCookie(ctx, challengeCookie, await startChallenge(db, challenge, now()), challengeLifetimeMs);
    },
    async findChallenge(ctx: Context): Promise<PendingSignIn | undefined> {
      return findChallenge(db, ctx.cookies.get(challengeCookie) ?? '', now());
    },
    /** Finds and ends it. */
    async takeChallenge(ctx: Context): Promise<PendingSignIn | undefined> {
      const token = ctx.cookies.get(challengeCookie);
      if (!token) return undefined;
      setCookie(ctx, challengeCookie, '', 0);
      return takeChallenge(db, token, now());
    },
    /** The OpenID provider has authenticated the signed-in user again. */
    async confirm(ctx: Context): Promise<void> {
      await confirmSession(db, ctx.cookies.get(sessionCookie) ?? '', now());
    },
    /** Whether it did so lately. */
    isConfirmed(ctx: Context): boolean {
      const confirmedAt = ctx.state['confirmedAt'] as Date | null | undefined;
      return confirmedAt ? now().getTime() - confirmedAt.getTime() < confirmationMs : false;
    },
    /** A secret of the browser, which stays the same when a session begins or ends. Undefined without cookies. */
    browser: visitorOf,
    /** Identifies a browser that was signed in before. */
    device(ctx: Context): Device | undefined {
      const [visitor, token] = [visitorOf(ctx), ctx.cookies.get(deviceCookie)];
      return visitor && token ? { visitor, token } : undefined;
    },
    async signOut(ctx: Context): Promise<void> {
      const token = ctx.cookies.get(sessionCookie);
      if (token) await endSession(db, token);
      setCookie(ctx, sessionCookie, '', 0);
      clearFlash(ctx);
    },
    /** The hash of the session's token, with which a long-running response ends. */
    sessionHash: (ctx: Context) => digestOf(ctx.cookies.get(sessionCookie) ?? ''),
    /** Everybody may look at the demo, so the cookie is a wish and no secret. */
    enterDemo: (ctx: Context) => setCookie(ctx, demoCookie, '1', demoMs),
    leaveDemo: (ctx: Context) => setCookie(ctx, demoCookie, '', 0),
    wantsDemo: (ctx: Context) => ctx.cookies.get(demoCookie) === '1',
    /** The workspace that this browser showed last, where an address names none. */
    lastSlug: (ctx: Context) => ctx.cookies.get(workspaceCookie),
    noteSlug(ctx: Context, slug: string): void {
      if (ctx.cookies.get(workspaceCookie) !== slug) setCookie(ctx, workspaceCookie, slug, visitorMs);
    },
    /** A message that the page at this path shows once. Stored in a readable cookie: for a secret, use `keepSecret`. */
    setFlash(ctx: Context, path: string, text: string): void {
      setCookie(ctx, flashCookie, Buffer.from(`${path} ${text}`).toString('base64url'), flashMs);
    },
    /** Reads and clears the flash of the current page. */
    takeFlash(ctx: Context): string | undefined {
      const flash = Buffer.from(ctx.cookies.get(flashCookie) ?? '', 'base64url').toString();
      // Neither a HEAD request nor another page shows it, so neither may clear it.
      if (!flash.startsWith(`${ctx.path} `) || ctx.method !== 'GET') return undefined;
      setCookie(ctx, flashCookie, '', 0);
      return flash.slice(ctx.path.length + 1);
    },
    /** Stores a secret on the server for the next page of the signed-in user. */
    async keepSecret(ctx: Context, text: string): Promise<void> {
      await keepOneTimeSecret(db, ctx.cookies.get(sessionCookie) ?? '', text, now());
    },
    /** Reads and deletes the secret. */
    async takeSecret(ctx: Context): Promise<string | undefined> {
      // A HEAD request does not show it.
      if (ctx.method !== 'GET') return undefined;
      return takeOneTimeSecret(db, ctx.cookies.get(sessionCookie) ?? '', now());
    },
    /** For the forms of a page: bound to the visitor, and to the user who was signed in when the page was opened. */
    csrfToken(ctx: Context): string {
      const visitor = visitorOf(ctx);
      // Without the cookie, no form will be accepted.
      if (!visitor) return '';
      const user = ctx.state['user'] as User | undefined;
      return `${secrets.csrfToken(visitor)}.${user ? secrets.csrfToken(textOf(visitor, user)) : ''}`;
    },
    /** A page that was opened signed out may be submitted by any user. */
    checkCsrf(ctx: Context, csrfToken: string): 'valid' | 'invalid' | 'other account' {
      const visitor = visitorOf(ctx);
      const [ofVisitor = '', ofUser = ''] = csrfToken.split('.');
      if (!visitor || !secrets.isCsrfToken(ofVisitor, visitor)) return 'invalid';
      if (!/^(?:[\w-]{43})?$/.test(ofUser)) return 'invalid';
      const user = ctx.state['user'] as User | undefined;
      const isOwn = !user || ofUser === '' || secrets.isCsrfToken(ofUser, textOf(visitor, user));
      return isOwn ? 'valid' : 'other account';
    },
  };
}

/** The password, or that the OpenID provider confirms the owner first, or nothing more because it has. */
export type Confirmation = 'password' | 'provider' | 'confirmed';

/** What changes to the account of the signed-in user need, so that a stolen session is not enough. */
export function confirmationOf(
  ctx: Context,
  { sessions, config }: { sessions: Sessions; config: Config },
): Confirmation {
  const hasPassword = signedIn(ctx)?.passwordHash !== null;
  if (!config.openId || (hasPassword && !config.openId.isOnly)) return 'password';
  return sessions.isConfirmed(ctx) ? 'confirmed' : 'provider';
}

const maxHeaderLength = 500;
const maxNameLength = 40;

/** Browser and system, such as "Firefox on Windows", for the owner's list of sessions. */
function describeDevice(userAgent: string): string | undefined {
  const { browser, os } = new UAParser(userAgent.slice(0, maxHeaderLength)).getResult();
  const names = [browser.name, os.name].map((name) => name?.slice(0, maxNameLength));
  return names.filter(Boolean).join(' on ') || undefined;
}

export function signedIn(ctx: Context): User | undefined {
  return ctx.state['user'] as User | undefined;
}

/** A stranger who looks at the demo account. */
export function isDemo(ctx: Context): boolean {
  return ctx.state['isDemo'] === true;
}

/** Only in routes for viewers, users or operators. */
export function userOf(ctx: Context): User {
  return signedIn(ctx) as User;
}

/** In routes for members. */
export function membershipOf(ctx: Context): Membership | undefined {
  return ctx.state['membership'] as Membership | undefined;
}

/** Undefined where the page is not about a workspace, and shows the navigation of one all the same. */
export function shownMembership(ctx: Context): Membership | undefined {
  return ctx.state['isOfWorkspace'] === true ? membershipOf(ctx) : undefined;
}

/** Those of the person who looks at a page, the current one first. Empty where it does not matter. */
export function membershipsOf(ctx: Context): Membership[] {
  return (ctx.state['memberships'] as Membership[] | undefined) ?? [];
}

/** A person who was looked up and is not a member of any. */
export function hasNoWorkspace(ctx: Context): boolean {
  const memberships = ctx.state['memberships'] as Membership[] | undefined;
  return memberships?.length === 0;
}

/** The workspace that a page is about. Only in routes for its members. */
export function workspaceOf(ctx: Context): Workspace {
  const { workspace } = membershipOf(ctx) ?? {};
  if (!workspace) throw new Error('A route for members was called without one');
  return workspace;
}

export const workspaceIdOf = (ctx: Context): WorkspaceId => workspaceOf(ctx).id;
