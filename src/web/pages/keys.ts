import Router from '@koa/router';
import type { Context } from 'koa';
import { createApiKey, listKeyUse, revokeOwnKey } from '../../accounts/api-keys.ts';
import { hourlyQuota } from '../../accounts/plans.ts';
import type { User } from '../../accounts/users.ts';
import { AppError, type FieldFault } from '../../errors.ts';
import { isLabel } from '../../label.ts';
import { field } from '../middleware/forms.ts';
import { type KeyRow, KeysView, NewKeyView, RevokeKeyView } from '../views/keys.tsx';
import { leadTo, needUser, type PageParts, show, userOf, visitorOf } from './page.ts';
import { leadSaying, saidOnce } from './said-once.ts';

const longestName = 100;
const createdPath = '/keys/created';
const doneTexts = { revoked: 'The key is revoked.' };
type KeysDone = keyof typeof doneTexts;
/** Each has an hourly quota of its own: without a bound there would be none. */
const mostActiveKeys = 25;

/** API Keys: list, create, show once, revoke. */
export function keysPages(parts: PageParts): Router {
  const { db, config, sessions, now } = parts;
  const router = new Router({ prefix: '/keys' });
  router.use(needUser);

  async function rowsOf(user: User): Promise<KeyRow[]> {
    const limit = hourlyQuota[user.plan];
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

  async function showKeys(ctx: Context, faults?: FieldFault[]): Promise<void> {
    const done = saidOnce(ctx, parts, doneTexts);
    show(
      ctx,
      KeysView,
      {
        visitor: visitorOf(ctx, parts),
        keys: await rowsOf(userOf(ctx)),
        done: done && doneTexts[done],
        faults,
      },
      faults ? 400 : 200,
    );
  }

  router.get('/', (ctx) => showKeys(ctx));

  router.post('/', async (ctx) => {
    const name = field(ctx, 'name').normalize('NFC').trim();
    const faults = nameFaults(name);
    const active = (await rowsOf(userOf(ctx))).filter(({ isActive }) => isActive);
    if (active.length >= mostActiveKeys)
      faults.push({
        field: 'name',
        message: `An account has at most ${mostActiveKeys} active keys. Revoke one first`,
      });
    if (faults.length > 0) return showKeys(ctx, faults);
    const key = await createApiKey(db, userOf(ctx).id, name, now());
    sessions.handOver(ctx, createdPath, `${key} ${name}`);
    leadTo(ctx, createdPath);
  });

  router.get('/created', (ctx) => {
    const handed = sessions.takeOver(ctx);
    // Opened again: it was shown once, and that was it.
    if (handed === undefined) return leadTo(ctx, '/keys');
    const [apiKey = '', ...name] = handed.split(' ');
    show(ctx, NewKeyView, {
      visitor: visitorOf(ctx, parts),
      name: name.join(' '),
      apiKey,
      baseUrl: config.baseUrl,
    });
  });

  router.get('/:id/revoke', async (ctx) => {
    const key = (await rowsOf(userOf(ctx))).find(({ id }) => id === ctx.params['id']);
    if (!key) throw noSuchKey();
    show(ctx, RevokeKeyView, { visitor: visitorOf(ctx, parts), of: key });
  });

  router.post('/:id/revoke', async (ctx) => {
    if (!(await revokeOwnKey(db, userOf(ctx).id, ctx.params['id'] ?? '', now()))) throw noSuchKey();
    leadSaying(ctx, parts, '/keys', 'revoked' satisfies KeysDone);
  });
  return router;
}

function nameFaults(name: string): FieldFault[] {
  if (name === '') return [{ field: 'name', message: 'must not be empty' }];
  if ([...name].length > longestName)
    return [{ field: 'name', message: `must have at most ${longestName} characters` }];
  return isLabel(name) ? [] : [{ field: 'name', message: 'must be text that can be seen' }];
}

function noSuchKey(): AppError {
  return new AppError('not_found', 'There is no such key.');
}
