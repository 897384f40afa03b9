import type { TSchema } from 'typebox';
import { Type } from '../../schema.ts';
import type { DeliveryEvent } from '../../webhooks/events.ts';
import { readShape } from './qr-code-shapes.ts';
import { scanShape } from './scans.ts';
import { formerField } from './former-names.ts';
import { choice, id, timestamp } from './schema-parts.ts';

// Counting the scans of a code would take time in the transaction of each change.
const { scanCount: _scanCount, ...codeProperties } = readShape.properties;

export const eventCodeShape = Type.Object(codeProperties, {
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
export const eventShapes = {
  'code.created': eventOf('code.created', codeData, 'A QR code was created.'),
  'code.updated': eventOf('code.updated', codeData, 'A QR code was changed. Scans do not count as changes.'),
  'code.deleted': eventOf('code.deleted', codeData, 'A QR code was deleted. `qrCode` is as it was before.'),
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
      { endpointId: id('The `id` of the webhook endpoint.') },
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
