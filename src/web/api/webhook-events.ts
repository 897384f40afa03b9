import type { TSchema } from 'typebox';
import { choice, uuid, timestamp, Type } from '../../schema.ts';
import type { DeliveryEvent } from '../../webhooks/events.ts';
import { formerField } from './former-names.ts';
import { changedExample, readExample, readShape } from './qr-codes.ts';
import { scanExample, scanShape } from './scans.ts';
import { endpointExample } from './webhooks.ts';

// Counting the scans of a code would take time in the transaction of each change.
const { scanCount: _scanCount, ...codeProperties } = readShape.properties;

const eventCodeShape = Type.Object(codeProperties, {
  description: 'A QR code at the time of the event.',
});

function eventOf<Data extends TSchema>(name: DeliveryEvent, data: Data, description: string) {
  return Type.Object(
    {
      type: choice([name], 'The event.'),
      timestamp: timestamp('When it happened.'),
      data,
    },
    { description },
  );
}

/** One object, which the former name repeats. */
const codeProperty = { qrCode: eventCodeShape, code: formerField(eventCodeShape, 'qrCode') };
const codeData = Type.Object(codeProperty, { description: 'The QR code.' });

/** The body of each event. */
const eventShapes = {
  'code.created': eventOf('code.created', codeData, 'A QR code was created, or restored from the trash.'),
  'code.updated': eventOf('code.updated', codeData, 'A QR code was changed. Scans do not count as changes.'),
  'code.deleted': eventOf(
    'code.deleted',
    codeData,
    'A QR code was deleted, to the trash or for good. `qrCode` is as it was before.',
  ),
  'code.expiring': eventOf(
    'code.expiring',
    Type.Object(
      {
        ...codeProperty,
        daysLeft: Type.Integer({ description: 'It stops working within this many days: 30, 7 or 1.' }),
      },
      { description: 'The QR code.' },
    ),
    'A QR code stops working in 30, 7 or 1 days.',
  ),
  'scan.recorded': eventOf(
    'scan.recorded',
    Type.Object(
      { scans: Type.Array(scanShape, { minItems: 1, maxItems: 100, description: 'Up to 100 scans.' }) },
      { description: 'The scans.' },
    ),
    'QR codes were scanned. An endpoint is called for scans at most once a second.',
  ),
  ping: eventOf(
    'ping',
    Type.Object(
      { endpointId: uuid('The `id` of the webhook endpoint.') },
      { description: 'The webhook endpoint.' },
    ),
    'You asked for a test.',
  ),
} satisfies Record<DeliveryEvent, TSchema>;

/** In the list of components. */
export const eventComponents: Record<string, TSchema> = {
  EventQrCode: eventCodeShape,
  ...Object.fromEntries(Object.entries(eventShapes).map(([name, shape]) => [componentName(name), shape])),
};

/** `ScanRecordedEvent` */
function componentName(event: string): string {
  const words = event.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

const { scanCount: _exampleCount, ...code } = readExample;
const { scanCount: _sameCount, ...changedCode } = changedExample;

const exampleOf = <Data>(type: DeliveryEvent, happenedAt: string, data: Data) => ({
  type,
  timestamp: happenedAt,
  data,
});

/** A body of each event. */
const eventExamples = {
  'code.created': exampleOf('code.created', code.createdAt, { qrCode: code, code }),
  'code.updated': exampleOf('code.updated', changedCode.updatedAt, {
    qrCode: changedCode,
    code: changedCode,
  }),
  'code.deleted': exampleOf('code.deleted', '2026-12-24T18:00:00.000Z', {
    qrCode: changedCode,
    code: changedCode,
  }),
  'code.expiring': exampleOf('code.expiring', '2027-10-29T09:30:00.000Z', {
    qrCode: code,
    code,
    daysLeft: 30,
  }),
  'scan.recorded': exampleOf('scan.recorded', scanExample.scannedAt, { scans: [scanExample] }),
  ping: exampleOf('ping', '2026-11-28T09:30:00.000Z', { endpointId: endpointExample.id }),
} satisfies Record<DeliveryEvent, object>;

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
