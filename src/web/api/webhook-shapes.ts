import type { Static } from 'typebox';
import { Type } from '../../schema.ts';
import { type Attempt, type Delivery, messageId } from '../../webhooks/deliveries.ts';
import type { Endpoint } from '../../webhooks/endpoints.ts';
import { deliveryEvents, deliveryStatuses, disabledReasons, eventNames } from '../../webhooks/events.ts';
import { formerField, formerName } from './former-names.ts';
import { choice, closed, id, label, nullable, timestamp } from './schema-parts.ts';

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
    Type.Array(id('The `id` of a QR code.'), {
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
  Type.Array(id('The `id` of a QR code.'), { description: 'Only events of these QR codes, or null.' }),
);

const endpointProperties = {
  id: id('Identifier of the webhook endpoint.'),
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

export function presentEndpoint(endpoint: Endpoint, now: Date): Static<typeof endpointShape> {
  const { previousSecretUntil: until } = endpoint;
  return {
    id: endpoint.id,
    url: endpoint.url,
    name: endpoint.name,
    events: endpoint.events,
    qrCodeIds: endpoint.codeIds,
    codeIds: endpoint.codeIds,
    categories: endpoint.categories,
    isEnabled: endpoint.isEnabled,
    disabledReason: endpoint.disabledReason,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    previousSecretExpiresAt: until && until > now ? until.toISOString() : null,
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}

const deliveryProperties = {
  id: id('Identifier of the delivery. Used as the pagination cursor.'),
  messageId: Type.String({ description: 'The header `webhook-id`: the same for each attempt.' }),
  type: choice(deliveryEvents, 'The event, as in the `type` of its payload.'),
  event: formerField(choice(deliveryEvents, 'The event.'), 'type'),
  status: choice(
    deliveryStatuses,
    '`pending`: it is sent, or sent again. `delivered`: the endpoint answered with a 2xx status. `failed`: it did not, for three days, or was disabled. `canceled`: its scans were deleted before it was sent.',
  ),
  scanCount: Type.Integer({ minimum: 0, description: 'Number of scans in it.' }),
  happenedAt: timestamp('When it happened. For scans: when they were gathered.'),
  attempts: Type.Integer({ minimum: 0, description: 'Number of calls so far.' }),
  nextAttemptAt: nullable(timestamp('When it is sent again at the latest, or null if it is not.')),
};

export const deliveryShape = Type.Object(deliveryProperties, {
  description: 'What is or was sent to a webhook endpoint.',
});

const attemptShape = Type.Object(
  {
    attemptedAt: timestamp('When the call was made.'),
    durationMs: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }),
    statusCode: nullable(Type.Integer({ description: 'The status of the response, or null without one.' })),
    response: nullable(Type.String({ description: 'The start of the body of the response.' })),
    error: nullable(Type.String({ description: 'Why there was no response.' })),
  },
  { description: 'One call.' },
);

export const deliveryDetail = Type.Object(
  {
    ...deliveryProperties,
    requestBody: nullable(
      Type.String({ description: 'The JSON that is sent. Null if its scans were deleted.' }),
    ),
    calls: Type.Array(attemptShape, { description: 'The calls so far, oldest first.' }),
  },
  { description: 'A delivery with its request and all responses.' },
);

export function presentDelivery(delivery: Delivery): Static<typeof deliveryShape> {
  return {
    id: delivery.id,
    messageId: messageId(delivery),
    type: delivery.event,
    event: delivery.event,
    status: delivery.status,
    scanCount: delivery.scanIds?.length ?? 0,
    happenedAt: delivery.happenedAt.toISOString(),
    attempts: delivery.attempts,
    nextAttemptAt: delivery.status === 'pending' ? delivery.nextAttemptAt.toISOString() : null,
  };
}

export function presentDetail(
  delivery: Delivery,
  requestBody: string | undefined,
  calls: Attempt[],
): Static<typeof deliveryDetail> {
  return {
    ...presentDelivery(delivery),
    requestBody: requestBody ?? null,
    calls: calls.map((call) => ({ ...call, attemptedAt: call.attemptedAt.toISOString() })),
  };
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

export const deliveryExample: Static<typeof deliveryShape> = {
  id: '01936f51-5d2e-7f66-8b1d-4c7e9a2f1d33',
  messageId: 'msg_01936f51-5d2e-7f66-8b1d-4c7e9a2f1d33',
  type: 'ping',
  event: 'ping',
  status: 'pending',
  scanCount: 0,
  happenedAt: '2026-11-28T09:31:00.000Z',
  attempts: 0,
  nextAttemptAt: '2026-11-28T09:31:00.000Z',
};
