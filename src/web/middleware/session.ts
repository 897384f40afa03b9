import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { UAParser } from 'ua-parser-js';
import {
  endSession,
  findSessionUser,
  keepOneTimeSecret,
  listSessions,
  type OpenSession,
  sessionLifetimeMs,
  startSession,
  takeOneTimeSecret,
} from '../../accounts/sessions.ts';
import type { ServiceSecrets } from '../../accounts/secrets.ts';
import {
  challengeLifetimeMs,
  findChallenge,
  type SignInChallenge,
  startChallenge,
  takeChallenge,
} from '../../accounts/passkeys.ts';
import type { Device } from '../../accounts/sign-in.ts';
import type { User } from '../../accounts/users.ts';
import { dayMs } from '../../runtime/units.ts';
import type { Database } from '../../store/database.ts';

const flashMs = 120_000;
/** Browsers limit the lifetime of cookies to about this. */
const visitorMs = 365 * dayMs;

export interface Sessions {
  /** Finds the signed-in user, and gives each visitor the cookie that CSRF tokens are derived from. */
  middleware: Middleware;
  /** Starts a new session, so that a session id known to an attacker becomes useless. */
  signIn(ctx: Context, user: User): Promise<void>;
  signOut(ctx: Context): Promise<void>;
  /** Whether the session of a long-running request still exists. */
  isCurrent(ctx: Context): Promise<boolean>;
  /** The sessions of the signed-in user. */
  list(ctx: Context): Promise<OpenSession[]>;
  /** A sign-in that waits for a second factor, or for a passkey. */
  startChallenge(ctx: Context, challenge: SignInChallenge): Promise<void>;
  findChallenge(ctx: Context): Promise<SignInChallenge | undefined>;
  /** Ends it. */
  takeChallenge(ctx: Context): Promise<SignInChallenge | undefined>;
  /** Identifies a browser that was signed in before. */
  device(ctx: Context): Device | undefined;
  /** For the forms of a page: bound to the visitor, and to the user who was signed in when the page was opened. */
  csrfToken(ctx: Context): string;
  /** A page that was opened signed out may be submitted by any user. */
  checkCsrf(ctx: Context, csrfToken: string): 'valid' | 'invalid' | 'other account';
  /** A message that the page at this path shows once. Stored in a readable cookie: for a secret, use `keepSecret`. */
  setFlash(ctx: Context, path: string, text: string): void;
  /** Reads and clears the flash of the current page. */
  takeFlash(ctx: Context): string | undefined;
  /** Stores a secret on the server for the next page of the signed-in user. */
  keepSecret(ctx: Context, text: string): Promise<void>;
  /** Reads and deletes the secret. */
  takeSecret(ctx: Context): Promise<string | undefined>;
}

interface SessionParts {
  db: Database;
  secrets: ServiceSecrets;
  /** Whether BASE_URL is https. */
  isSecure: boolean;
  now: () => Date;
}

export function createSessions({ db, secrets, isSecure, now }: SessionParts): Sessions {
  // Browsers accept a __Host- cookie only from this exact host, over https.
  const prefix = isSecure ? '__Host-' : '';
  const sessionCookie = `${prefix}qrelay-session`;
  const visitorCookie = `${prefix}qrelay-visitor`;
  const deviceCookie = `${prefix}qrelay-device`;
  const challengeCookie = `${prefix}qrelay-challenge`;
  const flashCookie = `${prefix}qrelay-flash`;
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
    async middleware(ctx, next) {
      const token = ctx.cookies.get(sessionCookie);
      const user = token ? await findSessionUser(db, token, now()) : undefined;
      ctx.state['user'] = user;
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
    async signIn(ctx, user) {
      const previous = ctx.cookies.get(sessionCookie);
      if (previous) await endSession(db, previous);
      setCookie(
        ctx,
        sessionCookie,
        await startSession(db, user.id, now(), {
          device: describeDevice(ctx.get('User-Agent')),
          passwordHash: user.passwordHash,
        }),
        sessionLifetimeMs,
      );
      clearFlash(ctx);
      const visitor = visitorOf(ctx);
      if (visitor) setCookie(ctx, deviceCookie, secrets.deviceToken(visitor, user), visitorMs);
    },
    async list(ctx) {
      const user = ctx.state['user'] as User | undefined;
      return user ? listSessions(db, user.id, ctx.cookies.get(sessionCookie) ?? '', now()) : [];
    },
    async startChallenge(ctx, challenge) {
      const earlier = ctx.cookies.get(challengeCookie);
      if (earlier) await takeChallenge(db, earlier, now());
      setCookie(ctx, challengeCookie, await startChallenge(db, challenge, now()), challengeLifetimeMs);
    },
    async findChallenge(ctx) {
      return findChallenge(db, ctx.cookies.get(challengeCookie) ?? '', now());
    },
    async takeChallenge(ctx) {
      const token = ctx.cookies.get(challengeCookie);
      if (!token) return undefined;
      setCookie(ctx, challengeCookie, '', 0);
      return takeChallenge(db, token, now());
    },
    device(ctx) {
      const [visitor, token] = [visitorOf(ctx), ctx.cookies.get(deviceCookie)];
      return visitor && token ? { visitor, token } : undefined;
    },
    async signOut(ctx) {
      const token = ctx.cookies.get(sessionCookie);
      if (token) await endSession(db, token);
      setCookie(ctx, sessionCookie, '', 0);
      clearFlash(ctx);
    },
    async isCurrent(ctx) {
      return (await findSessionUser(db, ctx.cookies.get(sessionCookie) ?? '', now())) !== undefined;
    },
    setFlash(ctx, path, text) {
      setCookie(ctx, flashCookie, Buffer.from(`${path} ${text}`).toString('base64url'), flashMs);
    },
    takeFlash(ctx) {
      const flash = Buffer.from(ctx.cookies.get(flashCookie) ?? '', 'base64url').toString();
      // Neither a HEAD request nor another page shows it, so neither may clear it.
      if (!flash.startsWith(`${ctx.path} `) || ctx.method !== 'GET') return undefined;
      setCookie(ctx, flashCookie, '', 0);
      return flash.slice(ctx.path.length + 1);
    },
    async keepSecret(ctx, text) {
      await keepOneTimeSecret(db, ctx.cookies.get(sessionCookie) ?? '', text, now());
    },
    async takeSecret(ctx) {
      // A HEAD request does not show it.
      if (ctx.method !== 'GET') return undefined;
      return takeOneTimeSecret(db, ctx.cookies.get(sessionCookie) ?? '', now());
    },
    csrfToken(ctx) {
      const visitor = visitorOf(ctx);
      // Without the cookie, no form will be accepted.
      if (!visitor) return '';
      const user = ctx.state['user'] as User | undefined;
      return `${secrets.csrfToken(visitor)}.${user ? secrets.csrfToken(textOf(visitor, user)) : ''}`;
    },
    checkCsrf(ctx, csrfToken) {
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

const maxHeaderLength = 500;
const maxNameLength = 40;

/** Browser and system, such as "Firefox on Windows", for the owner's list of sessions. */
function describeDevice(userAgent: string): string | undefined {
  const { browser, os } = new UAParser(userAgent.slice(0, maxHeaderLength)).getResult();
  const names = [browser.name, os.name].map((name) => name?.slice(0, maxNameLength));
  return names.filter(Boolean).join(' on ') || undefined;
}
