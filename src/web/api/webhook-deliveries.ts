import type { Static } from 'typebox';
import { invalid } from '../../errors.ts';
import { Type, choice, closed, nullable, timestamp, uuid } from '../../schema.ts';
import {
  type Attempt,
  type Delivery,
  createPing,
  findOwnDelivery,
  listAttempts,
  listDeliveries,
  messageId,
  periodErrors,
  replayPeriod,
  retryDelivery,
} from '../../webhooks/deliveries.ts';
import { deliveryEvents, deliveryStatuses, logDays } from '../../webhooks/events.ts';
import { findEndpoint } from '../../webhooks/endpoints.ts';
import { renderBody } from '../../webhooks/payload.ts';
import { formerField } from './former-names.ts';
import { operation } from './operation.ts';
import { pageOf, pageQuery, period, periodOf, periodRules, present, toPage } from './lists.ts';
import { findScans } from '../../scans/scan.ts';

const deliveryProperties = {
  id: uuid('Identifier of the delivery. Used as the pagination cursor.'),
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

function presentDelivery(delivery: Delivery): Static<typeof deliveryShape> {
  return present(deliveryShape, {
    ...delivery,
    messageId: messageId(delivery),
    type: delivery.event,
    scanCount: delivery.scanIds?.length ?? 0,
    nextAttemptAt: delivery.status === 'pending' ? delivery.nextAttemptAt : null,
  });
}

function presentDetail(
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

const deliveryExample: Static<typeof deliveryShape> = {
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

export const replayBody = Type.Object(
  {
    from: timestamp(`Start of the period, at most ${logDays} days ago.`),
    to: timestamp('End of the period, which is not part of it.'),
  },
  { ...closed, description: 'The period to replay.' },
);

export const replayShape = Type.Object(
  {
    deliveries: Type.Integer({
      minimum: 0,
      description: 'Deliveries of the log that are sent again, with the same `webhook-id`.',
    }),
    scans: Type.Integer({
      minimum: 0,
      description: 'Scans that were in none of them, and are sent in new deliveries.',
    }),
  },
  { description: 'What a replay sends.' },
);

const replayExample: Static<typeof replayShape> = { deliveries: 12, scans: 340 };

export const deliveryOperations = [
  operation({
    id: 'testWebhook',
    method: 'post',
    path: '/webhooks/{id}/test',
    scope: 'webhooks',
    summary: 'Send a ping',
    description: 'Sends the event `ping` to the endpoint. The log shows the response a moment later.',
    success: {
      status: 202,
      description: 'The ping is sent.',
      schema: deliveryShape,
      example: deliveryExample,
      location: '/webhook-deliveries/{id}',
    },
    async handle({ workspaceId, id }, { db }) {
      return presentDelivery(await createPing(db, await findEndpoint(db, workspaceId, id)));
    },
  }),

  operation({
    id: 'listWebhookDeliveries',
    method: 'get',
    path: '/webhooks/{id}/deliveries',
    scope: 'webhooks',
    summary: 'List deliveries',
    description: `Returns what was sent to the endpoint in the last ${logDays} days, and what waits, newest first.`,
    query: Type.Object({
      ...pageQuery('delivery', { limit: 20, max: 100 }),
      status: Type.Optional(choice(deliveryStatuses, 'Only deliveries with this status.')),
      ...period('sent, by its `happenedAt`,'),
    }),
    queryRules: periodRules,
    success: {
      status: 200,
      description: 'One page of deliveries.',
      schema: pageOf(deliveryShape, 'One page of deliveries.'),
      example: { data: [deliveryExample], nextCursor: null },
    },
    async handle({ workspaceId, id, query: { limit = 20, cursor: after, status, ...given } }, { db }) {
      const endpoint = await findEndpoint(db, workspaceId, id);
      const found = await listDeliveries(db, endpoint.id, {
        limit,
        cursor: after,
        status,
        ...periodOf(given),
      });
      return toPage(found, limit, presentDelivery);
    },
  }),

  operation({
    id: 'readWebhookDelivery',
    method: 'get',
    path: '/webhook-deliveries/{id}',
    scope: 'webhooks',
    summary: 'Read a delivery',
    description: 'Returns a delivery with the body of its request, and each response with its time.',
    success: {
      status: 200,
      description: 'The delivery.',
      schema: deliveryDetail,
      example: {
        ...deliveryExample,
        status: 'delivered',
        attempts: 1,
        nextAttemptAt: null,
        requestBody:
          '{"type":"ping","timestamp":"2026-11-28T09:31:00.000Z","data":{"endpointId":"01936f50-2b1c-7e55-9a0c-3b6d8f1e0c22"}}',
        calls: [
          {
            attemptedAt: '2026-11-28T09:31:00.412Z',
            durationMs: 87,
            statusCode: 200,
            response: 'ok',
            error: null,
          },
        ],
      },
    },
    async handle({ workspaceId, id }, { db, config }) {
      const { delivery } = await findOwnDelivery(db, workspaceId, id);
      const body = await renderBody(db, delivery, { baseUrl: config.baseUrl, findScans });
      return presentDetail(delivery, body, await listAttempts(db, delivery.id));
    },
  }),

  operation({
    id: 'retryWebhookDelivery',
    method: 'post',
    path: '/webhook-deliveries/{id}/retry',
    scope: 'webhooks',
    summary: 'Send a delivery again',
    description: 'Sends it again now, with the same `webhook-id`, whether or not it was delivered.',
    success: {
      status: 202,
      description: 'The delivery is sent.',
      schema: deliveryShape,
      example: deliveryExample,
    },
    async handle({ workspaceId, id }, { db, now }) {
      const { endpoint, delivery } = await findOwnDelivery(db, workspaceId, id);
      return presentDelivery(await retryDelivery(db, endpoint, delivery, now()));
    },
  }),

  operation({
    id: 'replayWebhook',
    method: 'post',
    path: '/webhooks/{id}/replay',
    scope: 'webhooks',
    summary: 'Send the events of a period again',
    description:
      'Sends every delivery of the period again, with the same `webhook-id`, and scans of the period that were never sent, such as those from a time when the endpoint was disabled. At most 10,000 deliveries and 100,000 scans.',
    body: replayBody,
    bodyExample: { from: '2026-11-28T00:00:00.000Z', to: '2026-11-28T12:00:00.000Z' },
    success: {
      status: 202,
      description: 'The events are sent.',
      schema: replayShape,
      example: replayExample,
    },
    async handle({ workspaceId, id, body }, { db, now }) {
      const endpoint = await findEndpoint(db, workspaceId, id);
      const given = await body();
      const replayed = { from: new Date(given.from), to: new Date(given.to) };
      const errors = periodErrors(replayed, now());
      if (errors.length > 0) throw invalid(errors);
      return replayPeriod(db, endpoint, replayed, now());
    },
  }),
];
