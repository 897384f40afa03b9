import type { TSchema } from 'typebox';
import type { DeliveryEvent } from '../../webhooks/events.ts';
import { eventExamples } from './event-examples.ts';
import { eventShapes } from './webhook-events.ts';

const signatureHeaders = [
  { name: 'webhook-id', description: 'Identifies the event: the same if it is sent again.' },
  {
    name: 'webhook-timestamp',
    description: 'When it was sent, in seconds since 1970. Reject a call that is older than five minutes.',
  },
  {
    name: 'webhook-signature',
    description:
      'One or two signatures, separated by a space. Each is `v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. The key is the secret without `whsec_`, decoded from base64.',
  },
].map((header) => ({ ...header, in: 'header', required: true, schema: { type: 'string' } }));

/** The requests that the service sends. `reference` gives the schema, or a `$ref` to it. */
export function describeEvents<Reference>(reference: (schema: TSchema) => Reference) {
  return Object.fromEntries(
    Object.entries<TSchema>(eventShapes).map(([event, shape]) => [
      event,
      { post: describeEvent(event as DeliveryEvent, shape, reference(shape)) },
    ]),
  );
}

function describeEvent<Reference>(event: DeliveryEvent, shape: TSchema, schema: Reference) {
  return {
    operationId: `on.${event}`.replace(/\.(.)/g, (_match, letter: string) => letter.toUpperCase()),
    summary: (shape as TSchema & { description?: string }).description ?? event,
    description:
      'The call is signed as described by Standard Webhooks (https://www.standardwebhooks.com). Answer with a 2xx status within 10 seconds. Otherwise it is sent again for three days, with the same `webhook-id`. It may be sent twice although you answered.',
    security: [],
    parameters: signatureHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: eventExamples[event] } },
    },
    responses: { '2XX': { description: 'The event was received.' } },
  };
}
