import type { Context } from 'koa';
import { validate as isUuid } from 'uuid';
import { endOfDay } from '../../codes/last-day.ts';
import { findCodes } from '../../codes/find-codes.ts';
import { AppError } from '../../errors.ts';
import { limitsOf } from '../../limits.ts';
import { findScans } from '../../scans/scan.ts';
import {
  createPing,
  findOwnDelivery,
  listAttempts,
  listDeliveries,
  periodErrors,
  replayPeriod,
  retryDelivery,
} from '../../webhooks/deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
} from '../../webhooks/endpoints.ts';
import { logDays } from '../../webhooks/events.ts';
import { renderBody } from '../../webhooks/payload.ts';
import { field } from '../middleware/forms.ts';
import { redirectWithFlash, readFlash } from '../ui/flash.ts';
import { type PageParts, redirect, show, userOf, visitorOf } from '../ui/page.ts';
import { DeliveryView } from './delivery-view.tsx';
import { formOf, readEndpointForm } from './endpoint-form.ts';
import { EndpointFormView } from './endpoint-form-view.tsx';
import { EndpointView } from './endpoint-view.tsx';
import { DeleteEndpointView, SecretView, WebhooksView } from './webhooks-view.tsx';
import { createRoutes, type Routes } from '../routes.ts';

const pageSize = 20;
const flashTexts = {
  deleted: 'The webhook was deleted.',
  saved: 'The webhook was saved.',
  enabled: 'The webhook is enabled again.',
  test: 'A test is being sent. Reload the page to see the response.',
  retry: 'It is being sent again. Reload the page to see the response.',
  replay: 'The events of the period are being sent again.',
};
type Flash = keyof typeof flashTexts;

interface NewSecret {
  id: string;
  secret: string;
  isRotated: boolean;
}

/** Webhooks: list, create, change, test, log, replay. */
export function webhooksPages(parts: PageParts): Routes {
  const { db, config, sessions, webhooks, now } = parts;
  const routes = createRoutes('/webhooks');

  const findOwn = (ctx: Context): Promise<Endpoint> =>
    findEndpoint(db, userOf(ctx).id, String(ctx['params'].id));
  /** The form, with an error where it lists codes of others. `known`: codes that the endpoint has already. */
  async function readForm(ctx: Context, known: string[] = []) {
    const { form, input } = readEndpointForm(ctx, webhooks.policy);
    const { missing } = await findCodes(db, userOf(ctx).id, input.codeIds ?? []);
    const unknown = missing.filter((index) => !known.includes(input.codeIds?.[index]?.toLowerCase() ?? ''));
    const lines = unknown.map((index) => index + 1).join(', ');
    if (lines !== '')
      form.errors.push({ field: 'codes', message: `has codes that are not yours, in line ${lines}` });
    return { form, input };
  }
  const flashOf = (ctx: Context) => {
    const flash = readFlash(ctx, parts, flashTexts);
    return flash && flashTexts[flash];
  };
  const flashTo = (ctx: Context, path: string, key: Flash) => redirectWithFlash(ctx, parts, path, key);
  async function showSecret(ctx: Context, made: NewSecret): Promise<void> {
    await sessions.keepSecret(ctx, JSON.stringify(made));
    redirect(ctx, '/webhooks/secret');
  }

  routes.get('user', '/', async (ctx) => {
    const user = userOf(ctx);
    const endpoints = await listEndpoints(db, user.id);
    const { webhooks: quota } = limitsOf(user, config.limits);
    show(ctx, WebhooksView, { visitor: visitorOf(ctx, parts), endpoints, quota, flash: flashOf(ctx) });
  });

  routes.get('user', '/new', (ctx) => {
    const form = { values: { 'scan-recorded': 'on' }, errors: [] };
    show(ctx, EndpointFormView, { visitor: visitorOf(ctx, parts), form });
  });

  routes.post('user', '/new', async (ctx) => {
    const { form, input } = await readForm(ctx);
    const visitor = visitorOf(ctx, parts);
    if (form.errors.length > 0) return show(ctx, EndpointFormView, { visitor, form }, 400);
    const user = userOf(ctx);
    const options = { box: webhooks.box, quota: limitsOf(user, config.limits).webhooks, now: now() };
    try {
      const { endpoint, secret } = await createEndpoint(db, user.id, input, options);
      await showSecret(ctx, { id: endpoint.id, secret, isRotated: false });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      show(ctx, EndpointFormView, { visitor, form, problem: error.message }, 400);
    }
  });

  routes.get('user', '/secret', async (ctx) => {
    const made = await sessions.takeSecret(ctx);
    if (made === undefined) return redirect(ctx, '/webhooks');
    show(ctx, SecretView, { visitor: visitorOf(ctx, parts), ...(JSON.parse(made) as NewSecret) });
  });

  routes.get('user', '/deliveries/:id', async (ctx) => {
    const found = await findOwnDelivery(db, userOf(ctx).id, String(ctx.params['id']));
    const body = await renderBody(db, found.delivery, { baseUrl: config.baseUrl, findScans });
    const attempts = await listAttempts(db, found.delivery.id);
    show(ctx, DeliveryView, {
      visitor: visitorOf(ctx, parts),
      ...found,
      body,
      attempts,
      flash: flashOf(ctx),
    });
  });

  routes.post('user', '/deliveries/:id/retry', async (ctx) => {
    const { endpoint, delivery } = await findOwnDelivery(db, userOf(ctx).id, String(ctx.params['id']));
    await retryDelivery(db, endpoint, delivery, now());
    flashTo(ctx, `/webhooks/deliveries/${delivery.id}`, 'retry');
  });

  async function showEndpoint(ctx: Context, endpoint: Endpoint, problem?: string): Promise<void> {
    const { before } = ctx.query;
    const cursor = typeof before === 'string' && isUuid(before) ? before : undefined;
    const found = await listDeliveries(db, endpoint.id, { limit: pageSize, cursor });
    const deliveries = found.slice(0, pageSize);
    const today = now().toISOString().slice(0, 10);
    const values = { firstDay: field(ctx, 'firstDay') || today, lastDay: field(ctx, 'lastDay') || today };
    show(
      ctx,
      EndpointView,
      {
        visitor: visitorOf(ctx, parts),
        endpoint,
        deliveries,
        older: found.length > pageSize ? deliveries.at(-1)?.id : undefined,
        replay: { values, errors: [] },
        flash: flashOf(ctx),
        problem,
      },
      problem === undefined ? 200 : 400,
    );
  }

  routes.get('user', '/:id', async (ctx) => showEndpoint(ctx, await findOwn(ctx)));

  routes.get('user', '/:id/edit', async (ctx) => {
    const endpoint = await findOwn(ctx);
    const form = formOf(endpoint, config.baseUrl);
    show(ctx, EndpointFormView, { visitor: visitorOf(ctx, parts), form, id: endpoint.id });
  });

  routes.post('user', '/:id/edit', async (ctx) => {
    const { id, codeIds } = await findOwn(ctx);
    const { form, input } = await readForm(ctx, codeIds ?? []);
    if (form.errors.length > 0)
      return show(ctx, EndpointFormView, { visitor: visitorOf(ctx, parts), form, id }, 400);
    await changeEndpoint(db, userOf(ctx).id, id, input, now());
    flashTo(ctx, `/webhooks/${id}`, 'saved');
  });

  routes.post('user', '/:id/state', async (ctx) => {
    const { id } = await findOwn(ctx);
    const isEnabled = field(ctx, 'isEnabled') === 'true';
    await changeEndpoint(db, userOf(ctx).id, id, { isEnabled }, now());
    // The page of a disabled one says so.
    if (isEnabled) flashTo(ctx, `/webhooks/${id}`, 'enabled');
    else redirect(ctx, `/webhooks/${id}`);
  });

  routes.post('user', '/:id/test', async (ctx) => {
    const endpoint = await findOwn(ctx);
    await createPing(db, endpoint);
    flashTo(ctx, `/webhooks/${endpoint.id}`, 'test');
  });

  routes.post('user', '/:id/rotate', async (ctx) => {
    const { id } = await findOwn(ctx);
    const { secret } = await rotateSecret(db, userOf(ctx).id, id, { box: webhooks.box, now: now() });
    await showSecret(ctx, { id, secret, isRotated: true });
  });

  routes.post('user', '/:id/replay', async (ctx) => {
    const endpoint = await findOwn(ctx);
    const [firstDay, lastDay] = [field(ctx, 'firstDay'), field(ctx, 'lastDay')];
    const end = endOfDay(lastDay);
    if (!endOfDay(firstDay) || !end || lastDay < firstDay)
      return showEndpoint(ctx, endpoint, 'Choose a last day that is not before the first one.');
    const period = { from: new Date(firstDay), to: new Date(end) };
    if (periodErrors(period, now()).length > 0)
      return showEndpoint(ctx, endpoint, `Choose days of the last ${logDays} days.`);
    await replayPeriod(db, endpoint, period, now());
    flashTo(ctx, `/webhooks/${endpoint.id}`, 'replay');
  });

  routes.get('user', '/:id/delete', async (ctx) => {
    show(ctx, DeleteEndpointView, { visitor: visitorOf(ctx, parts), endpoint: await findOwn(ctx) });
  });

  routes.post('user', '/:id/delete', async (ctx) => {
    await deleteEndpoint(db, userOf(ctx).id, String(ctx.params['id']));
    flashTo(ctx, '/webhooks', 'deleted');
  });
  return routes;
}
