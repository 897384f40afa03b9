import type { Context } from 'koa';
import { createOwnKey, keysPerHour, listKeyUse, parseApiKey, revokeOwnKey } from '../../accounts/api-keys.ts';
import type { User } from '../../accounts/users.ts';
import { AppError, type FieldError } from '../../errors.ts';
import { limitsOf } from '../../limits.ts';
import { isLabel, normalizeLabel } from '../../codes/label.ts';
import { field } from '../middleware/forms.ts';
import { type KeyRow, KeysView, NewKeyView, RevokeKeyView } from './keys-view.tsx';
import { redirect, type PageParts, show, userOf, visitorOf } from '../ui/page.ts';
import { redirectWithFlash, readFlash } from '../ui/flash.ts';
import { createRoutes, type Routes } from '../routes.ts';

const maxNameLength = 100;
const createdPath = '/keys/created';
const flashTexts = { revoked: 'The key was revoked.' };
type KeysFlash = keyof typeof flashTexts;

/** Why a key was not created. */
interface Refused {
  name: string;
  errors?: FieldError[];
  /** An error of the whole form. */
  problem?: string;
}

interface NewKey {
  apiKey: string;
  name: string;
}

/** API keys: list, create, show once, revoke. */
export function keysPages(parts: PageParts): Routes {
  const { db, config, sessions, now } = parts;
  const routes = createRoutes('/keys');

  async function rowsOf(user: User): Promise<KeyRow[]> {
    const { requestsPerHour: limit } = limitsOf(user, config.limits);
    return (await listKeyUse(db, user.id)).map(({ key, used, lastUsedAt }) => ({
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      createdAt: key.createdAt,
      lastUsedAt,
      isActive: key.revokedAt === null,
      remaining: Math.max(0, limit - used),
      limit,
    }));
  }

  async function showKeys(ctx: Context, refused?: Refused, status = 400): Promise<void> {
    const flash = readFlash(ctx, parts, flashTexts);
    show(
      ctx,
      KeysView,
      {
        visitor: visitorOf(ctx, parts),
        keys: await rowsOf(userOf(ctx)),
        flash: flash && flashTexts[flash],
        ...refused,
      },
      refused ? status : 200,
    );
  }

  routes.get('user', '/', (ctx) => showKeys(ctx));

  routes.post('user', '/', async (ctx) => {
    const name = normalizeLabel(field(ctx, 'name'));
    const errors = nameErrors(name);
    if (errors.length > 0) return showKeys(ctx, { name, errors });
    const user = userOf(ctx);
    const { keys: maxActive } = limitsOf(user, config.limits);
    const made = await createOwnKey(db, user.id, name, { maxActive, now: now() });
    if ('refused' in made) {
      if (made.refused === 'active') return showKeys(ctx, { name, problem: tooManyActive(maxActive) });
      ctx.set('Retry-After', String(made.retryAfterSeconds));
      return showKeys(ctx, { name, problem: tooManyNew(made.retryAfterSeconds) }, 429);
    }
    await sessions.keepSecret(ctx, JSON.stringify({ apiKey: made.key, name } satisfies NewKey));
    redirect(ctx, createdPath);
  });

  routes.get('user', '/created', async (ctx) => {
    const made = await takeNewKey(ctx);
    // The secret is shown only once.
    if (!made) return redirect(ctx, '/keys');
    show(ctx, NewKeyView, { visitor: visitorOf(ctx, parts), ...made, baseUrl: config.baseUrl });
  });

  async function takeNewKey(ctx: Context): Promise<NewKey | undefined> {
    const secret = await sessions.takeSecret(ctx);
    if (secret !== undefined) return JSON.parse(secret) as NewKey;
    // During an upgrade, a process of the previous release may have put it into a cookie.
    const [apiKey = '', ...name] = (sessions.takeFlash(ctx) ?? '').split(' ');
    return parseApiKey(apiKey) ? { apiKey, name: name.join(' ') } : undefined;
  }

  routes.get('user', '/:id/revoke', async (ctx) => {
    const key = (await rowsOf(userOf(ctx))).find(({ id }) => id === ctx.params['id']);
    if (!key) throw noSuchKey();
    show(ctx, RevokeKeyView, { visitor: visitorOf(ctx, parts), row: key });
  });

  routes.post('user', '/:id/revoke', async (ctx) => {
    if (!(await revokeOwnKey(db, userOf(ctx).id, ctx.params['id'] ?? '', now()))) throw noSuchKey();
    redirectWithFlash(ctx, parts, '/keys', 'revoked' satisfies KeysFlash);
  });
  return routes;
}

function nameErrors(name: string): FieldError[] {
  if (name === '') return [{ field: 'name', message: 'must not be empty' }];
  if ([...name].length > maxNameLength)
    return [{ field: 'name', message: `must have at most ${maxNameLength} characters` }];
  return isLabel(name) ? [] : [{ field: 'name', message: 'must not contain invisible characters' }];
}

function tooManyActive(limit: number): string {
  return `An account can have ${limit} active keys. Revoke one first.`;
}

function tooManyNew(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `An account can create ${keysPerHour} keys per hour. Try again in ${wait}.`;
}

function noSuchKey(): AppError {
  return new AppError('not_found', 'There is no such key.');
}
