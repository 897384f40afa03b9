import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { keepOneTimeSecret, takeOneTimeSecret } from '../../accounts/one-time-secrets.ts';
import type { ServiceSecrets } from '../../accounts/secrets.ts';
import { endSession, findSessionUser, sessionLifetimeMs, startSession } from '../../accounts/sessions.ts';
import type { Device } from '../../accounts/sign-in.ts';
import type { User } from '../../accounts/users.ts';
import { dayMs } from '../../runtime/units.ts';
import type { Database } from '../../store/database.ts';

const handedMs = 120_000;
/** Browsers keep no cookie for much longer. */
const visitorMs = 365 * dayMs;

export interface Sessions {
  /** Finds out who is signed in, and gives each visitor a cookie that forms are held against. */
  middleware: Middleware;
  /** With a new id, so that one that was known before is of no use. */
  signIn(ctx: Context, user: User): Promise<void>;
  signOut(ctx: Context): Promise<void>;
  /** Whether the session of a request that is still under way has not ended meanwhile. */
  isCurrent(ctx: Context): Promise<boolean>;
  /** By which a browser that was signed in before is known. */
  device(ctx: Context): Device | undefined;
  /** For the forms of a page: by visitor, and by who was signed in when it was opened. */
  csrfToken(ctx: Context): string;
  /** Whether a form is of this visitor, and was opened by whoever is signed in now, or by nobody. */
  checkCsrf(ctx: Context, csrfToken: string): 'ours' | 'strange' | "somebody else's";
  /** A word that the page at this path shows to this visitor, once. It can be read in a cookie: for a secret, see below. */
  setFlash(ctx: Context, path: string, text: string): void;
  /** What was handed over to the page that is open. */
  takeFlash(ctx: Context): string | undefined;
  /** A secret for the next page of whoever is signed in, kept on the server. */
  keepSecret(ctx: Context, text: string): Promise<void>;
  /** The secret that was kept, one time. */
  takeSecret(ctx: Context): Promise<string | undefined>;
}

interface SessionParts {
  db: Database;
  secrets: ServiceSecrets;
  /** Whether the world reaches us by https. */
  isSecure: boolean;
  now: () => Date;
}

export function createSessions({ db, secrets, isSecure, now }: SessionParts): Sessions {
  // A browser takes a __Host- cookie from this very host only, and only over https.
  const prefix = isSecure ? '__Host-' : '';
  const sessionCookie = `${prefix}qrelay-session`;
  const visitorCookie = `${prefix}qrelay-visitor`;
  const deviceCookie = `${prefix}qrelay-device`;
  const handedCookie = `${prefix}qrelay-handed`;
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

  function forgetHanded(ctx: Context): void {
    if (ctx.cookies.get(handedCookie)) setCookie(ctx, handedCookie, '', 0);
  }

  const byUser = (visitor: string, user: User | undefined) =>
    user ? secrets.csrfToken(`${visitor} ${user.id}`) : '';

  return {
    async middleware(ctx, next) {
      const token = ctx.cookies.get(sessionCookie);
      const user = token ? await findSessionUser(db, token, now()) : undefined;
      ctx.state['user'] = user;
      // Stays the same when a session begins or ends: a form that is open then can still be sent.
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
      const before = ctx.cookies.get(sessionCookie);
      if (before) await endSession(db, before);
      setCookie(ctx, sessionCookie, await startSession(db, user.id, now()), sessionLifetimeMs);
      forgetHanded(ctx);
      const visitor = visitorOf(ctx);
      if (visitor) setCookie(ctx, deviceCookie, secrets.deviceMark(visitor, user), visitorMs);
    },
    device(ctx) {
      const [visitor, mark] = [visitorOf(ctx), ctx.cookies.get(deviceCookie)];
      return visitor && mark ? { visitor, mark } : undefined;
    },
    async signOut(ctx) {
      const token = ctx.cookies.get(sessionCookie);
      if (token) await endSession(db, token);
      setCookie(ctx, sessionCookie, '', 0);
      forgetHanded(ctx);
    },
    async isCurrent(ctx) {
      return (await findSessionUser(db, ctx.cookies.get(sessionCookie) ?? '', now())) !== undefined;
    },
    setFlash(ctx, path, text) {
      setCookie(ctx, handedCookie, Buffer.from(`${path} ${text}`).toString('base64url'), handedMs);
    },
    takeFlash(ctx) {
      const handed = Buffer.from(ctx.cookies.get(handedCookie) ?? '', 'base64url').toString();
      // Who asks for the head alone has not seen it, and it must not be lost because another page was opened meanwhile.
      if (!handed.startsWith(`${ctx.path} `) || ctx.method !== 'GET') return undefined;
      setCookie(ctx, handedCookie, '', 0);
      return handed.slice(ctx.path.length + 1);
    },
    async keepSecret(ctx, text) {
      await keepOneTimeSecret(db, ctx.cookies.get(sessionCookie) ?? '', text, now());
    },
    async takeSecret(ctx) {
      // Who asks for the head alone has not seen it.
      if (ctx.method !== 'GET') return undefined;
      return takeOneTimeSecret(db, ctx.cookies.get(sessionCookie) ?? '', now());
    },
    csrfToken(ctx) {
      const visitor = visitorOf(ctx);
      // Without a cookie to hold it against, no form will be accepted.
      if (!visitor) return '';
      return `${secrets.csrfToken(visitor)}.${byUser(visitor, ctx.state['user'] as User | undefined)}`;
    },
    checkCsrf(ctx, csrfToken) {
      const visitor = visitorOf(ctx);
      const [ofVisitor = '', ofUser = ''] = csrfToken.split('.');
      if (!visitor || !sameText(ofVisitor, secrets.csrfToken(visitor))) return 'strange';
      if (!/^(?:[\w-]{43})?$/.test(ofUser)) return 'strange';
      const user = ctx.state['user'] as User | undefined;
      return !user || ofUser === '' || sameText(ofUser, byUser(visitor, user)) ? 'ours' : "somebody else's";
    },
  };
}

function sameText(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
