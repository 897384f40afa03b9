import type { Context } from 'koa';
import { validate as isUuid } from 'uuid';
import { endOfDay } from '../../codes/lifetime.ts';
import { findCodes } from '../../codes/find-codes.ts';
import { isLabel, normalizeLabel } from '../../codes/label.ts';
import type { FieldError } from '../../errors.ts';
import { limitsOf } from '../../limits.ts';
import { type AddressPolicy, outboundUrlError } from '../../net/address-policy.ts';
import { findScans } from '../../scans/scan.ts';
import {
  createPing,
  findOwnDelivery,
  listAttempts,
  listDeliveries,
  periodErrors,
  readLastAttempts,
  replayPeriod,
  retryDelivery,
} from '../../webhooks/deliveries.ts';
import {
  type Endpoint,
  type EndpointInput,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
} from '../../webhooks/endpoints.ts';
import { eventNames, logDays } from '../../webhooks/events.ts';
import { renderBody } from '../../webhooks/payload.ts';
import { field } from '../middleware/forms.ts';
import { type Routes, createRoutes } from '../routes.ts';
import type { FormState } from '../ui/controls.tsx';
import { labelErrors, refusalOf } from '../ui/form.ts';
import type { Services } from '../services.ts';
import { createPages, redirect } from '../ui/page.ts';
import { userOf, workspaceIdOf, workspaceOf } from '../middleware/session.ts';
import { whoStillHas } from '../../workspaces/made-by.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';
import { DeliveryView, EndpointView } from './endpoint-view.tsx';
import {
  DeleteEndpointView,
  EndpointFormView,
  SecretView,
  WebhooksView,
  eventField,
} from './webhooks-view.tsx';

const pageSize = 20;
const maxNameLength = 100;
const maxListed = 100;
const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;
const flashTexts = {
  deleted: 'The webhook was deleted.',
  saved: 'The webhook was saved.',
  enabled: 'The webhook is enabled again.',
  test: 'A test is being sent. Reload the page to see the response.',
  retry: 'The event is being sent again. Reload the page to see the response.',
  replay: 'The events of these days are being sent again.',
};

interface NewSecret {
  id: string;
  secret: string;
  isRotated: boolean;
}

/** Webhooks: list, create, change, test, log, replay. */
export function webhooksPages(parts: Services): Routes {
  const { db, config, sessions, webhooks, now } = parts;
  const routes = createRoutes('/webhooks');
  const pages = createPages(parts, flashTexts);

  const findOwn = (ctx: Context): Promise<Endpoint> =>
    findEndpoint(db, workspaceIdOf(ctx), String(ctx['params'].id));
  /** The form, with an error where it lists codes of others. `known`: codes that the endpoint has already. */
  async function readForm(ctx: Context, known: string[] = []) {
    const { form, input } = readEndpointForm(ctx, webhooks.policy);
    const { missing } = await findCodes(db, workspaceIdOf(ctx), input.codeIds ?? []);
    const unknown = missing.filter((index) => !known.includes(input.codeIds?.[index]?.toLowerCase() ?? ''));
    const lines = unknown.map((index) => index + 1).join(', ');
    if (lines !== '')
      form.errors.push({ field: 'codes', message: `has codes that are not yours, in line ${lines}` });
    return { form, input };
  }
  /** Ids of endpoints that somebody has created who could not any more. */
  async function findMakersGone(workspaceId: WorkspaceId, endpoints: Endpoint[]): Promise<Set<string>> {
    const makers = endpoints.map(({ createdBy }) => createdBy);
    const here = await whoStillHas(db, workspaceId, 'editor', makers);
    const gone = endpoints.filter(({ createdBy }) => createdBy !== null && !here.has(createdBy));
    return new Set(gone.map(({ id }) => id));
  }
  async function showSecret(ctx: Context, made: NewSecret): Promise<void> {
    await sessions.keepSecret(ctx, JSON.stringify(made));
    redirect(ctx, '/webhooks/secret');
  }

  routes.get('editor', '/', async (ctx) => {
    const workspace = workspaceOf(ctx);
    const endpoints = await listEndpoints(db, workspace.id);
    const { webhooks: quota } = limitsOf(workspace, config.limits);
    pages.show(ctx, WebhooksView, {
      endpoints,
      quota,
      makersGone: await findMakersGone(workspace.id, endpoints),
    });
  });

  routes.get('editor', '/new', (ctx) => {
    const form = { values: { 'scan-recorded': 'on' }, errors: [] };
    pages.show(ctx, EndpointFormView, { form });
  });

  routes.post('editor', '/new', async (ctx) => {
    const { form, input } = await readForm(ctx);
    if (form.errors.length > 0) return pages.show(ctx, EndpointFormView, { form }, { status: 400 });
    const workspace = workspaceOf(ctx);
    const { webhooks: quota } = limitsOf(workspace, config.limits);
    const options = { box: webhooks.box, quota, now: now(), maker: userOf(ctx) };
    try {
      const { endpoint, secret } = await createEndpoint(db, workspace.id, input, options);
      await showSecret(ctx, { id: endpoint.id, secret, isRotated: false });
    } catch (error) {
      const refusal = refusalOf(error, { outcome: '' });
      pages.show(ctx, EndpointFormView, { form: { ...form, ...refusal } }, refusal);
    }
  });

  routes.get('editor', '/secret', async (ctx) => {
    const made = await sessions.takeSecret(ctx);
    if (made === undefined) return redirect(ctx, '/webhooks');
    pages.show(ctx, SecretView, JSON.parse(made) as NewSecret);
  });

  routes.get('editor', '/deliveries/:id', async (ctx) => {
    const found = await findOwnDelivery(db, workspaceIdOf(ctx), String(ctx.params['id']));
    const body = await renderBody(db, found.delivery, { baseUrl: config.baseUrl, findScans });
    const attempts = await listAttempts(db, found.delivery.id);
    pages.show(ctx, DeliveryView, { ...found, body, attempts });
  });

  routes.post('editor', '/deliveries/:id/retry', async (ctx) => {
    const { endpoint, delivery } = await findOwnDelivery(db, workspaceIdOf(ctx), String(ctx.params['id']));
    await retryDelivery(db, endpoint, delivery, now());
    pages.redirectWithFlash(ctx, `/webhooks/deliveries/${delivery.id}`, 'retry');
  });

  async function showEndpoint(ctx: Context, endpoint: Endpoint, error?: string): Promise<void> {
    const { before } = ctx.query;
    const cursor = typeof before === 'string' && isUuid(before) ? before : undefined;
    const found = await listDeliveries(db, endpoint.id, { limit: pageSize, cursor });
    const deliveries = found.slice(0, pageSize);
    const ids = deliveries.map(({ id }) => id);
    const lastAttempts = await readLastAttempts(db, ids);
    const today = now().toISOString().slice(0, 10);
    const values = { firstDay: field(ctx, 'firstDay') || today, lastDay: field(ctx, 'lastDay') || today };
    const older = found.length > pageSize ? deliveries.at(-1)?.id : undefined;
    const replay = { values, errors: [], error };
    const isMakerGone = (await findMakersGone(endpoint.workspaceId, [endpoint])).has(endpoint.id);
    pages.show(
      ctx,
      EndpointView,
      { endpoint, isMakerGone, deliveries, lastAttempts, older, replay },
      { status: error ? 400 : 200 },
    );
  }

  routes.get('editor', '/:id', async (ctx) => showEndpoint(ctx, await findOwn(ctx)));

  routes.get('editor', '/:id/edit', async (ctx) => {
    const endpoint = await findOwn(ctx);
    const form = formOf(endpoint, config.baseUrl);
    pages.show(ctx, EndpointFormView, { form, id: endpoint.id });
  });

  routes.post('editor', '/:id/edit', async (ctx) => {
    const { id, codeIds } = await findOwn(ctx);
    const { form, input } = await readForm(ctx, codeIds ?? []);
    if (form.errors.length > 0) return pages.show(ctx, EndpointFormView, { form, id }, { status: 400 });
    await changeEndpoint(db, workspaceIdOf(ctx), id, input, now(), { maker: userOf(ctx) });
    pages.redirectWithFlash(ctx, `/webhooks/${id}`, 'saved');
  });

  routes.post('editor', '/:id/state', async (ctx) => {
    const { id } = await findOwn(ctx);
    const isEnabled = field(ctx, 'isEnabled') === 'true';
    await changeEndpoint(db, workspaceIdOf(ctx), id, { isEnabled }, now(), { maker: userOf(ctx) });
    // The page of a disabled one says so.
    if (isEnabled) pages.redirectWithFlash(ctx, `/webhooks/${id}`, 'enabled');
    else redirect(ctx, `/webhooks/${id}`);
  });

  routes.post('editor', '/:id/test', async (ctx) => {
    const endpoint = await findOwn(ctx);
    await createPing(db, endpoint);
    pages.redirectWithFlash(ctx, `/webhooks/${endpoint.id}`, 'test');
  });

  routes.post('editor', '/:id/rotate', async (ctx) => {
    const { id } = await findOwn(ctx);
    const { secret } = await rotateSecret(db, workspaceIdOf(ctx), id, {
      box: webhooks.box,
      now: now(),
      maker: userOf(ctx),
    });
    await showSecret(ctx, { id, secret, isRotated: true });
  });

  routes.post('editor', '/:id/replay', async (ctx) => {
    const endpoint = await findOwn(ctx);
    const [firstDay, lastDay] = [field(ctx, 'firstDay'), field(ctx, 'lastDay')];
    const end = endOfDay(lastDay);
    if (!endOfDay(firstDay) || !end || lastDay < firstDay)
      return showEndpoint(ctx, endpoint, 'Choose a last day that is not before the first one.');
    const period = { from: new Date(firstDay), to: new Date(end) };
    if (periodErrors(period, now()).length > 0)
      return showEndpoint(ctx, endpoint, `Choose days of the last ${logDays} days.`);
    await replayPeriod(db, endpoint, period, now());
    pages.redirectWithFlash(ctx, `/webhooks/${endpoint.id}`, 'replay');
  });

  routes.get('editor', '/:id/delete', async (ctx) => {
    pages.show(ctx, DeleteEndpointView, { endpoint: await findOwn(ctx) });
  });

  routes.post('editor', '/:id/delete', async (ctx) => {
    await deleteEndpoint(db, workspaceIdOf(ctx), String(ctx.params['id']));
    pages.redirectWithFlash(ctx, '/webhooks', 'deleted');
  });
  return routes;
}

/** Reads the form of an endpoint. The input is valid if there are no errors. */
export function readEndpointForm(
  ctx: Context,
  policy: AddressPolicy,
): { form: FormState; input: EndpointInput } {
  const values: Record<string, string> = {
    name: normalizeLabel(field(ctx, 'name')),
    url: field(ctx, 'url').trim(),
    codes: field(ctx, 'codes'),
    categories: field(ctx, 'categories'),
  };
  for (const event of eventNames) values[eventField(event)] = field(ctx, eventField(event));
  const codes = linesOf(values['codes'] ?? '');
  const categories = linesOf(values['categories'] ?? '').map((line) => normalizeLabel(line, maxNameLength));
  const codeIds = codes.flatMap((line) => uuid.exec(line.slice(-500))?.[0] ?? []);
  const input = {
    name: values['name'] ?? '',
    url: values['url'] ?? '',
    events: eventNames.filter((event) => values[eventField(event)] === 'on'),
    codeIds: codeIds.length > 0 ? codeIds : null,
    categories: categories.length > 0 ? categories : null,
  };
  return { form: { values, errors: [...errorsOf(input, policy), ...listErrors(codes, codeIds)] }, input };
}

function errorsOf({ name, url, events, categories }: EndpointInput, policy: AddressPolicy): FieldError[] {
  const errors = labelErrors('name', name, maxNameLength, 'Enter a name');
  const urlError = outboundUrlError(url, policy);
  if (urlError) errors.push({ field: 'url', message: urlError });
  if (events.length === 0) errors.push({ field: 'events', message: 'Choose at least one event' });
  const isInvalid = (label: string) => [...label].length > maxNameLength || !isLabel(label);
  if (categories && (categories.length > maxListed || categories.some(isInvalid)))
    errors.push({
      field: 'categories',
      message: `must be at most ${maxListed} lines, each with at most ${maxNameLength} characters`,
    });
  return errors;
}

function listErrors(codes: string[], codeIds: string[]): FieldError[] {
  if (codes.length > maxListed) return [{ field: 'codes', message: `must be at most ${maxListed} lines` }];
  return codes.length === codeIds.length
    ? []
    : [{ field: 'codes', message: 'must have the address of a code’s page in each line' }];
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function formOf({ name, url, events, codeIds, categories }: Endpoint, baseUrl: string): FormState {
  const values: Record<string, string> = {
    name,
    url,
    codes: (codeIds ?? []).map((id) => `${baseUrl}/codes/${id}`).join('\n'),
    categories: (categories ?? []).join('\n'),
  };
  for (const event of events) values[eventField(event)] = 'on';
  return { values, errors: [] };
}
