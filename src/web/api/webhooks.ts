import type { Static } from 'typebox';
import { findLimits } from '../../accounts/account-limits.ts';
import { findCodes } from '../../codes/find-codes.ts';
import { type BodyRules, missingCode } from '../../codes/validation.ts';
import { outboundUrlError } from '../../net/address-policy.ts';
import { Type, choice, closed, label, nullable, timestamp, uuid } from '../../schema.ts';
import {
  type Endpoint,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
} from '../../webhooks/endpoints.ts';
import { disabledReasons, eventNames } from '../../webhooks/events.ts';
import { formerField, formerName } from './former-names.ts';
import { operation } from './operation.ts';
import type { Services } from '../services.ts';
import { etagOf } from './preconditions.ts';
import { pageOf, pageQuery, present, toPage } from './lists.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

const maxListed = 100;

const fields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description:
      'The http or https URL that is called with POST. It must have a public address, and the port 80, 443 or one above 1023. Redirects are not followed.',
  }),
  name: label('A name for the endpoint.'),
  events: Type.Array(choice(eventNames, 'An event.'), {
    minItems: 1,
    maxItems: eventNames.length,
    uniqueItems: true,
    description: 'The events that the endpoint is called for.',
  }),
  qrCodeIds: nullable(
    Type.Array(uuid('The `id` of a QR code.'), {
      minItems: 1,
      maxItems: maxListed,
      description:
        'Only events of these QR codes, which must be yours. With `categories` as well: of codes in either list. Null in both: of all codes.',
    }),
  ),
  categories: nullable(
    Type.Array(label('A category.'), {
      minItems: 1,
      maxItems: maxListed,
      description: 'Only events of QR codes with one of these categories. See `qrCodeIds`.',
    }),
  ),
};

export const endpointBody = Type.Object(
  {
    url: fields.url,
    name: fields.name,
    events: fields.events,
    qrCodeIds: Type.Optional({ ...fields.qrCodeIds, default: null }),
    categories: Type.Optional({ ...fields.categories, default: null }),
    codeIds: formerName(fields.qrCodeIds, 'qrCodeIds'),
  },
  { ...closed, description: 'The webhook endpoint to create.' },
);

const isEnabled = Type.Boolean({
  description:
    'Whether it is called. What happens while it is false is not sent, except by a replay. Setting it to true forgets earlier failures.',
});

export const endpointChanges = Type.Partial(
  Type.Object({ ...fields, isEnabled, codeIds: formerName(fields.qrCodeIds, 'qrCodeIds') }),
  {
    ...closed,
    description: 'The fields to change. Omitted fields are not changed.',
  },
);

const onlyCodes = nullable(
  Type.Array(uuid('The `id` of a QR code.'), { description: 'Only events of these QR codes, or null.' }),
);

const endpointProperties = {
  id: uuid('Identifier of the webhook endpoint.'),
  url: Type.String({ description: 'The URL that is called.' }),
  name: Type.String({ description: 'The name of the endpoint.' }),
  events: Type.Array(choice(eventNames, 'An event.'), { description: 'The events that it is called for.' }),
  qrCodeIds: onlyCodes,
  codeIds: formerField(onlyCodes, 'qrCodeIds'),
  categories: nullable(
    Type.Array(Type.String({ description: 'A category.' }), {
      description: 'Only events of QR codes with one of these categories, or null.',
    }),
  ),
  isEnabled,
  disabledReason: nullable(
    Type.String({
      description: `Why it is not enabled: ${disabledReasons.map((reason) => `\`${reason}\``).join(', ')} (the owner did it, it failed for three days, it answered 410). Null while it is enabled.`,
    }),
  ),
  failingSince: nullable(
    timestamp('When the first of the calls failed that have failed since the last success.'),
  ),
  previousSecretExpiresAt: nullable(
    timestamp('After a rotation: until then, calls are signed with the previous secret as well.'),
  ),
  createdAt: timestamp('When it was created.'),
  updatedAt: timestamp('When it was last changed.'),
};

export const endpointShape = Type.Object(endpointProperties, { description: 'A webhook endpoint.' });

export const endpointWithSecret = Type.Object(
  {
    ...endpointProperties,
    secret: Type.String({
      pattern: '^whsec_[A-Za-z0-9+/]+=*$',
      description: 'Verifies the signatures. Shown only in this response.',
    }),
  },
  { description: 'A webhook endpoint with its new secret.' },
);

type ShownEndpoint = Static<typeof endpointShape>;

function presentEndpoint(endpoint: Endpoint, now: Date): ShownEndpoint {
  const { codeIds, previousSecretUntil: until } = endpoint;
  return present(endpointShape, {
    ...endpoint,
    qrCodeIds: codeIds,
    previousSecretExpiresAt: until && until > now ? until : null,
  });
}

export const endpointExample: Static<typeof endpointShape> = {
  id: '01936f50-2b1c-7e55-9a0c-3b6d8f1e0c22',
  url: 'https://example.com/hooks/qrelay',
  name: 'CRM',
  events: ['scan.recorded', 'code.expiring'],
  qrCodeIds: null,
  codeIds: null,
  categories: ['Menus'],
  isEnabled: true,
  disabledReason: null,
  failingSince: null,
  previousSecretExpiresAt: null,
  createdAt: '2026-11-28T09:30:00.000Z',
  updatedAt: '2026-11-28T09:30:00.000Z',
};

const secretExample = {
  ...endpointExample,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};

/** `known`: codes that the endpoint has already. One that was deleted since may be sent again. */
function endpointRules(
  { db, webhooks }: Services,
  workspaceId: WorkspaceId,
  known: string[] = [],
): BodyRules<{ url?: string; qrCodeIds?: string[] | null }> {
  return async ({ url, qrCodeIds }) => {
    const error = url === undefined ? undefined : outboundUrlError(url, webhooks.policy);
    const { missing } = await findCodes(db, workspaceId, qrCodeIds ?? []);
    const unknown = missing.filter((index) => !known.includes(qrCodeIds?.[index]?.toLowerCase() ?? ''));
    return [
      ...(error ? [{ field: 'url', message: error }] : []),
      ...unknown.map((index) => missingCode(`qrCodeIds[${index}]`)),
    ];
  };
}

/** Failing calls make no version stale. */
function endpointEtag({ failingSince, previousSecretExpiresAt, ...rest }: ShownEndpoint): string {
  return etagOf(rest, { failingSince, previousSecretExpiresAt });
}

export const webhookOperations = [
  operation({
    id: 'createWebhook',
    method: 'post',
    path: '/webhooks',
    scope: 'webhooks',
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
    async handle({ workspaceId, body, versioned }, services) {
      const { db, config, webhooks, now } = services;
      const {
        qrCodeIds = null,
        categories = null,
        ...given
      } = await body(endpointRules(services, workspaceId));
      const { limits } = await findLimits(db, workspaceId, config.limits);
      const { endpoint, secret } = await createEndpoint(
        db,
        workspaceId,
        { ...given, codeIds: qrCodeIds, categories },
        { box: webhooks.box, quota: limits.webhooks, now: now() },
      );
      const shown = presentEndpoint(endpoint, now());
      return { ...versioned(shown, endpointEtag(shown)), secret };
    },
  }),

  operation({
    id: 'listWebhooks',
    method: 'get',
    path: '/webhooks',
    scope: 'webhooks',
    summary: 'List webhook endpoints',
    description: 'Returns your webhook endpoints, newest first. Without `limit`, up to 100 are on a page.',
    query: Type.Object({
      ...pageQuery('webhook endpoint', { limit: 100, max: 100 }),
    }),
    success: {
      status: 200,
      description: 'Your webhook endpoints.',
      schema: pageOf(endpointShape, 'One page of webhook endpoints.'),
      example: { data: [endpointExample], nextCursor: null },
    },
    async handle({ workspaceId, query: { limit = 100, cursor: after } }, { db, now }) {
      const endpoints = await listEndpoints(db, workspaceId, { limit, cursor: after });
      return toPage(endpoints, limit, (endpoint) => presentEndpoint(endpoint, now()));
    },
  }),

  operation({
    id: 'readWebhook',
    method: 'get',
    path: '/webhooks/{id}',
    scope: 'webhooks',
    summary: 'Read a webhook endpoint',
    description: 'Returns one of your webhook endpoints, without its secret.',
    success: {
      status: 200,
      description: 'The webhook endpoint.',
      schema: endpointShape,
      example: endpointExample,
    },
    isVersioned: true,
    async handle({ workspaceId, id, versioned }, { db, now }) {
      const endpoint = await findEndpoint(db, workspaceId, id);
      const shown = presentEndpoint(endpoint, now());
      return versioned(shown, endpointEtag(shown));
    },
  }),

  operation({
    id: 'updateWebhook',
    method: 'patch',
    path: '/webhooks/{id}',
    scope: 'webhooks',
    summary: 'Change a webhook endpoint',
    description: 'Send only the fields that you want to change. `"isEnabled": true` enables it again.',
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
    async handle({ workspaceId, id, body, versioned, requireMatch }, services) {
      const { db, now } = services;
      const stored = await findEndpoint(db, workspaceId, id);
      const rules = endpointRules(services, workspaceId, stored.codeIds ?? []);
      const { qrCodeIds, ...given } = await body(rules);
      const changes = { ...given, ...(qrCodeIds !== undefined && { codeIds: qrCodeIds }) };
      const check = (current: Endpoint) => requireMatch(endpointEtag(presentEndpoint(current, now())));
      const changed = await changeEndpoint(db, workspaceId, id, changes, now(), { check });
      const shown = presentEndpoint(changed, now());
      return versioned(shown, endpointEtag(shown));
    },
  }),

  operation({
    id: 'deleteWebhook',
    method: 'delete',
    path: '/webhooks/{id}',
    scope: 'webhooks',
    summary: 'Delete a webhook endpoint',
    description: 'Deletes it with its log. What waits to be sent is not sent.',
    success: { status: 204, description: 'The webhook endpoint was deleted.' },
    isVersioned: true,
    async handle({ workspaceId, id, requireMatch }, { db, now }) {
      await deleteEndpoint(db, workspaceId, id, (deleted) =>
        requireMatch(endpointEtag(presentEndpoint(deleted, now()))),
      );
    },
  }),

  operation({
    id: 'rotateWebhookSecret',
    method: 'post',
    path: '/webhooks/{id}/rotate-secret',
    scope: 'webhooks',
    summary: 'Replace the secret of a webhook endpoint',
    description:
      'For 24 hours, calls carry two signatures, with the new and the previous secret, so that no call is rejected meanwhile.',
    success: {
      status: 200,
      description: 'The webhook endpoint with its new secret.',
      schema: endpointWithSecret,
      example: { ...secretExample, previousSecretExpiresAt: '2026-11-29T09:30:00.000Z' },
    },
    isVersioned: true,
    async handle({ workspaceId, id, versioned, requireMatch }, { db, webhooks, now }) {
      const check = (current: Endpoint) => requireMatch(endpointEtag(presentEndpoint(current, now())));
      const rotated = await rotateSecret(db, workspaceId, id, { box: webhooks.box, now: now(), check });
      const shown = presentEndpoint(rotated.endpoint, now());
      return { ...versioned(shown, endpointEtag(shown)), secret: rotated.secret };
    },
  }),
];
