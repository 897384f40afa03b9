import type { components } from './schema.ts';

type Schemas = components['schemas'];

/** Told apart by `type`. */
export type WebhookEvent =
  | Schemas['CodeCreatedEvent']
  | Schemas['CodeUpdatedEvent']
  | Schemas['CodeDeletedEvent']
  | Schemas['CodeExpiringEvent']
  | Schemas['ScanRecordedEvent']
  | Schemas['PingEvent'];

/** The request does not come from the service, was changed on the way, or is too old. Answer with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface WebhookOptions {
  /** How far the clocks may differ, and how old a request may be; 300 unless told. */
  toleranceSeconds?: number;
  nowMs?: number;
}

type HeaderSource = Headers | Record<string, string | string[] | undefined>;

const prefix = 'whsec_';

/**
 * Verifies a request by Standard Webhooks and returns its parsed body. `body` must be exactly what arrived, before any JSON
 * parser. While a secret is rotated, pass both.
 */
export async function verifyWebhook<Event = WebhookEvent>(
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string | readonly string[] | undefined,
  { toleranceSeconds = 300, nowMs = Date.now() }: WebhookOptions = {},
): Promise<Event> {
  if (!secret) throw new TypeError('The webhook secret is missing.');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const sentAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(nowMs / 1000 - sentAt) <= toleranceSeconds))
    throw new WebhookVerificationError('webhook-timestamp is not close to the current time');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = concat(`${id}.${timestamp}.`, body);
  for (const one of [secret].flat()) {
    const key = await importSecret(one);
    for (const signature of versionOne(signatures)) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(text) as Event;
    }
  }
  throw new WebhookVerificationError('webhook-signature has no valid signature');
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`${name} is missing`);
  return value;
}

function isHeaders(headers: HeaderSource): headers is Headers {
  return typeof headers.get === 'function';
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret);
  if (!bytes) throw new TypeError(`A webhook secret is ${prefix} followed by base64.`);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** `v1,<base64>`, separated by spaces. Others, such as asymmetric ones, are ignored. */
function versionOne(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .flatMap((part) => fromBase64(part.slice(3)) ?? []);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(start: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [head, tail] = [encoder.encode(start), typeof body === 'string' ? encoder.encode(body) : body];
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
