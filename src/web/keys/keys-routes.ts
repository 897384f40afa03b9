import type { Context } from 'koa';
import {
  type KeyGrant,
  createOwnKey,
  keysPerHour,
  listKeyUse,
  parseApiKey,
  renameOwnKey,
  revokeOwnKey,
} from '../../accounts/api-keys.ts';
import { normalizeLabel } from '../../codes/label.ts';
import { AppError, type FieldError } from '../../errors.ts';
import { limitsOf } from '../../limits.ts';
import { field } from '../middleware/forms.ts';
import { type Routes, createRoutes } from '../routes.ts';
import { type Refusal, labelErrors, requireValid, submit } from '../ui/form.ts';
import { createPages, redirect } from '../ui/page.ts';
import type { Services } from '../services.ts';
import { userOf, workspaceIdOf, workspaceOf } from '../middleware/session.ts';
import { minutesInWords } from '../ui/words.tsx';
import { emptyKeyForm, maxNameLength, readKeyForm } from './key-form.ts';
import { NewKeyView } from './new-key-view.tsx';
import { type KeyRow, KeysView, RenameKeyView, RevokeKeyView } from './keys-view.tsx';
import { whoStillHas } from '../../workspaces/made-by.ts';
import type { Workspace } from '../../workspaces/workspace.ts';

const createdPath = '/keys/created';
const flashTexts = { revoked: 'The key was revoked.', renamed: 'The key was renamed.' };

interface NewKey {
  apiKey: string;
  name: string;
  grant: KeyGrant;
}

/** API keys: list, create, show once, rename, revoke. */
export function keysPages(parts: Services): Routes {
  const { db, config, sessions, now } = parts;
  const routes = createRoutes('/keys');
  const pages = createPages(parts, flashTexts);

  async function rowsOf(workspace: Workspace): Promise<KeyRow[]> {
    const { requestsPerHour: limit } = limitsOf(workspace, config.limits);
    const keys = await listKeyUse(db, workspace.id);
    const makers = keys.map(({ key }) => key.createdBy);
    const owners = await whoStillHas(db, workspace.id, 'owner', makers);
    return keys.map(({ key, used, lastUsedAt }) => ({
      key,
      isMakerGone: key.createdBy !== null && !owners.has(key.createdBy),
      lastUsedAt,
      state: key.stateAt(now()),
      remaining: Math.max(0, limit - used),
      limit,
    }));
  }

  async function ownRow(ctx: Context): Promise<KeyRow> {
    const row = (await rowsOf(workspaceOf(ctx))).find(({ key }) => key.id === ctx['params'].id);
    if (!row) throw noSuchKey();
    return row;
  }

  async function showKeys(ctx: Context, values = emptyKeyForm, refusal?: Refusal): Promise<void> {
    const form = { values, errors: [], ...refusal };
    pages.show(ctx, KeysView, { keys: await rowsOf(workspaceOf(ctx)), form, now: now() }, refusal);
  }

  routes.get('owner', '/', (ctx) => showKeys(ctx));

  routes.post('owner', '/', async (ctx) => {
    const { values, name, grant, errors } = readKeyForm(ctx, now());
    const refuse = (refusal: Partial<Refusal>) =>
      showKeys(ctx, values, { errors: [], status: 400, ...refusal });
    if (errors.length > 0) return refuse({ errors });
    const workspace = workspaceOf(ctx);
    const { keys: maxActive } = limitsOf(workspace, config.limits);
    const made = await createOwnKey(db, workspace.id, name, {
      maxActive,
      now: now(),
      maker: userOf(ctx),
      ...grant,
    });
    if ('refused' in made) {
      if (made.refused === 'active')
        return refuse({ error: `A workspace can have ${maxActive} active keys. Revoke one first.` });
      ctx.set('Retry-After', String(made.retryAfterSeconds));
      const wait = minutesInWords(made.retryAfterSeconds);
      const error = `A workspace can create ${keysPerHour} keys per hour. Try again in ${wait}.`;
      return refuse({ error, status: 429 });
    }
    await sessions.keepSecret(ctx, JSON.stringify({ apiKey: made.key, name, grant } satisfies NewKey));
    redirect(ctx, createdPath);
  });

  routes.get('owner', '/created', async (ctx) => {
    const made = await takeNewKey(ctx);
    // The secret is shown only once.
    if (!made) return redirect(ctx, '/keys');
    pages.show(ctx, NewKeyView, { ...made, baseUrl: config.baseUrl });
  });

  async function takeNewKey(ctx: Context): Promise<NewKey | undefined> {
    const everything = { scopes: null, expiresAt: null };
    const secret = await sessions.takeSecret(ctx);
    // During an upgrade, a process of the previous release may have stored it, without a grant.
    if (secret !== undefined) return { grant: everything, ...(JSON.parse(secret) as Omit<NewKey, 'grant'>) };
    // Or it may have put it into a cookie.
    const [apiKey = '', ...name] = (sessions.takeFlash(ctx) ?? '').split(' ');
    return parseApiKey(apiKey) ? { apiKey, name: name.join(' '), grant: everything } : undefined;
  }

  function showRename(ctx: Context, { key }: KeyRow, name = key.name, errors: FieldError[] = []): void {
    const form = { values: { name }, errors };
    pages.show(ctx, RenameKeyView, { apiKey: key, form }, { status: errors.length > 0 ? 400 : 200 });
  }

  routes.get('owner', '/:id/rename', async (ctx) => showRename(ctx, await ownRow(ctx)));

  routes.post('owner', '/:id/rename', async (ctx) => {
    const row = await ownRow(ctx);
    const name = normalizeLabel(field(ctx, 'name'));
    const rename = async () => {
      requireValid(labelErrors('name', name, maxNameLength, 'Enter a name'));
      if (!(await renameOwnKey(db, workspaceIdOf(ctx), row.key.id, name))) throw noSuchKey();
      pages.redirectWithFlash(ctx, '/keys', 'renamed');
    };
    await submit(rename, (errors) => showRename(ctx, row, name, errors));
  });

  routes.get('owner', '/:id/revoke', async (ctx) => {
    pages.show(ctx, RevokeKeyView, { apiKey: (await ownRow(ctx)).key });
  });

  routes.post('owner', '/:id/revoke', async (ctx) => {
    if (!(await revokeOwnKey(db, workspaceIdOf(ctx), ctx['params'].id ?? '', now()))) throw noSuchKey();
    pages.redirectWithFlash(ctx, '/keys', 'revoked');
  });
  return routes;
}

function noSuchKey(): AppError {
  return new AppError('not_found', 'There is no such key.');
}
