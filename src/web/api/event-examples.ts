import type { DeliveryEvent } from '../../webhooks/events.ts';
import { changedExample, readExample } from './qr-code-shapes.ts';
import { scanExample } from './scans.ts';
import { endpointExample } from './webhook-shapes.ts';

const { scanCount: _scanCount, ...code } = readExample;
const { scanCount: _sameCount, ...changedCode } = changedExample;

const eventOf = <Data>(type: DeliveryEvent, timestamp: string, data: Data) => ({ type, timestamp, data });

/** A body of each event. */
export const eventExamples = {
  'code.created': eventOf('code.created', code.createdAt, { qrCode: code, code }),
  'code.updated': eventOf('code.updated', changedCode.updatedAt, { qrCode: changedCode, code: changedCode }),
  'code.deleted': eventOf('code.deleted', '2026-12-24T18:00:00.000Z', {
    qrCode: changedCode,
    code: changedCode,
  }),
  'code.expiring': eventOf('code.expiring', '2027-10-29T09:30:00.000Z', { qrCode: code, code, daysLeft: 30 }),
  'scan.recorded': eventOf('scan.recorded', scanExample.scannedAt, { scans: [scanExample] }),
  ping: eventOf('ping', '2026-11-28T09:30:00.000Z', { endpointId: endpointExample.id }),
} satisfies Record<DeliveryEvent, object>;
