import { Type } from '../../schema.ts';
import { findLimits } from '../../accounts/account-limits.ts';
import { outboundUrlError } from '../../net/outbound-url.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
} from '../../webhooks/endpoints.ts';
import { type ApiServices, type BodyRules, operation } from './operation.ts';
import { pageOf } from './schema-parts.ts';
import {
  endpointBody,
  endpointChanges,
  endpointExample,
  endpointShape,
  endpointWithSecret,
  presentEndpoint,
} from './webhook-shapes.ts';

export const endpointIdParams = Type.Object({
  id: Type.String({ description: 'The `id` of the webhook endpoint.' }),
});

const secretExample = {
  ...endpointExample,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};

function urlRules({ webhooks }: ApiServices): BodyRules<{ url?: string }> {
  return async ({ url }) => {
    const error = url === undefined ? undefined : outboundUrlError(url, webhooks.policy);
    return error ? [{ field: 'url', message: error }] : [];
  };
}

export const createWebhook = operation({
  id: 'createWebhook',
  method: 'post',
  path: '/webhooks',
  tag: 'Webhooks',
  summary: 'Create a webhook endpoint',
  description:
    'From now on, the URL is called when one of the events happens. The response contains the `secret` that verifies the calls, as described by Standard Webhooks. It is not shown again.',
  body: endpointBody,
  bodyExample: { url: 'https://example.com/hooks/qrelay', name: 'CRM', events: ['scan.recorded'] },
  success: {
    status: 201,
    description: 'The webhook endpoint was created.',
    schema: endpointWithSecret,
    example: secretExample,
  },
  async handle({ ownerId, body }, services) {
    const { db, config, webhooks, now } = services;
    const { codeIds = null, categories = null, ...given } = await body(urlRules(services));
    const { limits } = await findLimits(db, ownerId, config.limits);
    const { endpoint, secret } = await createEndpoint(
      db,
      ownerId,
      { ...given, codeIds, categories },
      { box: webhooks.box, quota: limits.webhooks, now: now() },
    );
    return { ...presentEndpoint(endpoint, now()), secret };
  },
});

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'get',
  path: '/webhooks',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: 'Returns all your webhook endpoints, newest first. There are few, so there is only one page.',
  success: {
    status: 200,
    description: 'Your webhook endpoints.',
    schema: pageOf(endpointShape, 'All webhook endpoints.'),
    example: { data: [endpointExample], nextCursor: null },
  },
  async handle({ ownerId }, { db, now }) {
    const endpoints = await listEndpoints(db, ownerId);
    return { data: endpoints.map((endpoint) => presentEndpoint(endpoint, now())), nextCursor: null };
  },
});

export const readWebhook = operation({
  id: 'readWebhook',
  method: 'get',
  path: '/webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Read a webhook endpoint',
  description: 'Returns one of your webhook endpoints, without its secret.',
  params: endpointIdParams,
  success: {
    status: 200,
    description: 'The webhook endpoint.',
    schema: endpointShape,
    example: endpointExample,
  },
  async handle({ ownerId, params }, { db, now }) {
    return presentEndpoint(await findEndpoint(db, ownerId, params.id), now());
  },
});

export const updateWebhook = operation({
  id: 'updateWebhook',
  method: 'patch',
  path: '/webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Change a webhook endpoint',
  description: 'Send only the fields that you want to change. `"isEnabled": true` enables it again.',
  params: endpointIdParams,
  body: endpointChanges,
  bodyExample: { events: ['scan.recorded', 'code.expiring'], categories: ['Menus'] },
  otherFields: { secret: 'cannot be set; use POST /api/v1/webhooks/{id}/rotate-secret' },
  success: {
    status: 200,
    description: 'The webhook endpoint after the change.',
    schema: endpointShape,
    example: endpointExample,
  },
  async handle({ ownerId, params, body }, services) {
    const { db, now } = services;
    await findEndpoint(db, ownerId, params.id);
    const changes = await body(urlRules(services));
    return presentEndpoint(await changeEndpoint(db, ownerId, params.id, changes, now()), now());
  },
});

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  method: 'delete',
  path: '/webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description: 'Deletes it with its log. What waits to be sent is not sent.',
  params: endpointIdParams,
  success: { status: 204, description: 'The webhook endpoint was deleted.' },
  async handle({ ownerId, params }, { db }) {
    await deleteEndpoint(db, ownerId, params.id);
  },
});

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/webhooks/{id}/rotate-secret',
  tag: 'Webhooks',
  summary: 'Replace the secret of a webhook endpoint',
  description:
    'For 24 hours, calls carry two signatures, with the new and the previous secret, so that no call is rejected meanwhile.',
  params: endpointIdParams,
  success: {
    status: 200,
    description: 'The webhook endpoint with its new secret.',
    schema: endpointWithSecret,
    example: { ...secretExample, previousSecretExpiresAt: '2026-11-29T09:30:00.000Z' },
  },
  async handle({ ownerId, params }, { db, webhooks, now }) {
    const rotated = await rotateSecret(db, ownerId, params.id, { box: webhooks.box, now: now() });
    return { ...presentEndpoint(rotated.endpoint, now()), secret: rotated.secret };
  },
});
