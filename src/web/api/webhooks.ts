import { Type } from '../../schema.ts';
import { findLimits } from '../../accounts/account-limits.ts';
import { findCodes } from '../../codes/find-codes.ts';
import { outboundUrlError } from '../../net/address-policy.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
} from '../../webhooks/endpoints.ts';
import { missingCode } from './check-body.ts';
import type { Services } from '../services.ts';
import { type BodyRules, operation } from './operation.ts';
import { versionedEtag } from './preconditions.ts';
import { cursor, fewLimit, pageOf, toPage } from './schema-parts.ts';
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

/** `known`: codes that the endpoint has already. One that was deleted since may be sent again. */
function endpointRules(
  { db, webhooks }: Services,
  ownerId: string,
  known: string[] = [],
): BodyRules<{ url?: string; qrCodeIds?: string[] | null }> {
  return async ({ url, qrCodeIds }) => {
    const error = url === undefined ? undefined : outboundUrlError(url, webhooks.policy);
    const { missing } = await findCodes(db, ownerId, qrCodeIds ?? []);
    const unknown = missing.filter((index) => !known.includes(qrCodeIds?.[index]?.toLowerCase() ?? ''));
    return [
      ...(error ? [{ field: 'url', message: error }] : []),
      ...unknown.map((index) => missingCode(`qrCodeIds[${index}]`)),
    ];
  };
}

/** Failing calls make no version stale. */
function etagOf(endpoint: Endpoint, now: Date): string {
  const { failingSince, previousSecretExpiresAt, ...rest } = presentEndpoint(endpoint, now);
  return versionedEtag(rest, { failingSince, previousSecretExpiresAt });
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
    location: '/webhooks/{id}',
  },
  isVersioned: true,
  async handle({ ownerId, body, etag }, services) {
    const { db, config, webhooks, now } = services;
    const { qrCodeIds = null, categories = null, ...given } = await body(endpointRules(services, ownerId));
    const { limits } = await findLimits(db, ownerId, config.limits);
    const { endpoint, secret } = await createEndpoint(
      db,
      ownerId,
      { ...given, codeIds: qrCodeIds, categories },
      { box: webhooks.box, quota: limits.webhooks, now: now() },
    );
    etag(etagOf(endpoint, now()));
    return { ...presentEndpoint(endpoint, now()), secret };
  },
});

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'get',
  path: '/webhooks',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: 'Returns your webhook endpoints, newest first. Without `limit`, up to 100 are on a page.',
  query: Type.Object({
    limit: fewLimit('webhook endpoints'),
    cursor: Type.Optional(
      cursor('The `nextCursor` of the previous page, which is the `id` of its last webhook endpoint.'),
    ),
  }),
  success: {
    status: 200,
    description: 'Your webhook endpoints.',
    schema: pageOf(endpointShape, 'One page of webhook endpoints.'),
    example: { data: [endpointExample], nextCursor: null },
  },
  async handle({ ownerId, query: { limit = 100, cursor: after } }, { db, now }) {
    const endpoints = await listEndpoints(db, ownerId, { limit, cursor: after });
    return toPage(endpoints, limit, (endpoint) => presentEndpoint(endpoint, now()));
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
  isVersioned: true,
  async handle({ ownerId, params, etag }, { db, now }) {
    const endpoint = await findEndpoint(db, ownerId, params.id);
    etag(etagOf(endpoint, now()));
    return presentEndpoint(endpoint, now());
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
  isVersioned: true,
  async handle({ ownerId, params, body, etag, requireMatch }, services) {
    const { db, now } = services;
    const stored = await findEndpoint(db, ownerId, params.id);
    const rules = endpointRules(services, ownerId, stored.codeIds ?? []);
    const { qrCodeIds, ...given } = await body(rules);
    const changes = { ...given, ...(qrCodeIds !== undefined && { codeIds: qrCodeIds }) };
    const check = (current: Endpoint) => requireMatch(etagOf(current, now()));
    const changed = await changeEndpoint(db, ownerId, params.id, changes, now(), check);
    etag(etagOf(changed, now()));
    return presentEndpoint(changed, now());
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
  isVersioned: true,
  async handle({ ownerId, params, requireMatch }, { db, now }) {
    await deleteEndpoint(db, ownerId, params.id, (deleted) => requireMatch(etagOf(deleted, now())));
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
  isVersioned: true,
  async handle({ ownerId, params, etag, requireMatch }, { db, webhooks, now }) {
    const check = (current: Endpoint) => requireMatch(etagOf(current, now()));
    const rotated = await rotateSecret(db, ownerId, params.id, { box: webhooks.box, now: now(), check });
    etag(etagOf(rotated.endpoint, now()));
    return { ...presentEndpoint(rotated.endpoint, now()), secret: rotated.secret };
  },
});
