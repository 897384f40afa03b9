import type { Context } from 'koa';
import { createOwnKey, keysPerHour, listKeyUse, parseApiKey, revokeOwnKey } from '../../accounts/api-keys.ts';
import { normalizeLabel } from '../../codes/label.ts';
import { AppError } from '../../errors.ts';
import { limitsOf } from '../../limits.ts';
import { field } from '../middleware/forms.ts';
import { type Routes, createRoutes } from '../routes.ts';
import { type Refusal, labelErrors } from '../ui/form.ts';
import { createPages, redirect } from '../ui/page.ts';
import type { Services } from '../services.ts';
import { workspaceIdOf, workspaceOf } from '../middleware/session.ts';
import { minutesInWords } from '../ui/words.tsx';
import { type KeyRow, KeysView, NewKeyView, RevokeKeyView } from './keys-view.tsx';
import type { Workspace } from '../../workspaces/workspace.ts';

const maxNameLength = 100;
const createdPath = '/keys/created';
const flashTexts = { revoked: 'The key was revoked.' };

interface NewKey {
  apiKey: string;
  name: string;
}

/** API keys: list, create, show once, revoke. */
export function keysPages(parts: Services): Routes {
  const { db, config, sessions, now } = parts;
  const routes = createRoutes('/keys');
  const pages = createPages(parts, flashTexts);

  async function rowsOf(workspace: Workspace): Promise<KeyRow[]> {
    const { requestsPerHour: limit } = limitsOf(workspace, config.limits);
    return (await listKeyUse(db, workspace.id)).map(({ key, used, lastUsedAt }) => ({
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

  async function showKeys(ctx: Context, name = '', refusal?: Refusal): Promise<void> {
    const form = { values: { name }, errors: [], ...refusal };
    pages.show(ctx, KeysView, { keys: await rowsOf(workspaceOf(ctx)), form }, refusal);
  }

  routes.get('owner', '/', (ctx) => showKeys(ctx));

  routes.post('owner', '/', async (ctx) => {
    const name = normalizeLabel(field(ctx, 'name'));
    const refuse = (refusal: Partial<Refusal>) =>
      showKeys(ctx, name, { errors: [], status: 400, ...refusal });
    const errors = labelErrors('name', name, maxNameLength, 'Enter a name');
    if (errors.length > 0) return refuse({ errors });
    const workspace = workspaceOf(ctx);
    const { keys: maxActive } = limitsOf(workspace, config.limits);
    const made = await createOwnKey(db, workspace.id, name, { maxActive, now: now() });
    if ('refused' in made) {
      if (made.refused === 'active')
        return refuse({ error: `An account can have ${maxActive} active keys. Revoke one first.` });
      ctx.set('Retry-After', String(made.retryAfterSeconds));
      const wait = minutesInWords(made.retryAfterSeconds);
      const error = `An account can create ${keysPerHour} keys per hour. Try again in ${wait}.`;
      return refuse({ error, status: 429 });
    }
    await sessions.keepSecret(ctx, JSON.stringify({ apiKey: made.key, name } satisfies NewKey));
    redirect(ctx, createdPath);
  });

  routes.get('owner', '/created', async (ctx) => {
    const made = await takeNewKey(ctx);
    // The secret is shown only once.
    if (!made) return redirect(ctx, '/keys');
    pages.show(ctx, NewKeyView, { ...made, baseUrl: config.baseUrl });
  });

  async function takeNewKey(ctx: Context): Promise<NewKey | undefined> {
    const secret = await sessions.takeSecret(ctx);
    if (secret !== undefined) return JSON.parse(secret) as NewKey;
    // During an upgrade, a process of the previous release may have put it into a cookie.
    const [apiKey = '', ...name] = (sessions.takeFlash(ctx) ?? '').split(' ');
    return parseApiKey(apiKey) ? { apiKey, name: name.join(' ') } : undefined;
  }

  routes.get('owner', '/:id/revoke', async (ctx) => {
    const key = (await rowsOf(workspaceOf(ctx))).find(({ id }) => id === ctx.params['id']);
    if (!key) throw noSuchKey();
    pages.show(ctx, RevokeKeyView, { row: key });
  });

  routes.post('owner', '/:id/revoke', async (ctx) => {
    if (!(await revokeOwnKey(db, workspaceIdOf(ctx), ctx.params['id'] ?? '', now()))) throw noSuchKey();
    pages.redirectWithFlash(ctx, '/keys', 'revoked');
  });
  return routes;
}

function noSuchKey(): AppError {
  return new AppError('not_found', 'There is no such key.');
}
