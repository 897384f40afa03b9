import { createClient, type ClientOptions } from '../src/index.ts';

/** The service under test, and a key of it with at least 100 free requests for each file. */
export const serviceUrl = process.env['QRELAY_URL'] ?? 'http://127.0.0.1:3000';
const apiKey = process.env['QRELAY_API_KEY'] ?? '';
if (apiKey === '') throw new Error('Set QRELAY_URL and QRELAY_API_KEY to a running service and a key of it.');

type Fetch = typeof globalThis.fetch;

/** Counts the requests, and lets some of them fail. `failures` are used up in order; then all succeed. */
export function unreliable(...failures: ((request: () => Promise<Response>) => Promise<Response>)[]) {
  const sent: Request[] = [];
  const fetch: Fetch = async (input, init) => {
    sent.push(new Request(input, init));
    const fail = failures.shift();
    const request = () => globalThis.fetch(input, init);
    return fail ? fail(request) : request();
  };
  return { fetch, sent };
}

/** The service has processed the request, but its response does not arrive. */
export async function loseResponse(request: () => Promise<Response>): Promise<never> {
  await (await request()).text();
  throw new TypeError('fetch failed');
}

/** The connection breaks in the middle of the body. */
export async function breakBody(request: () => Promise<Response>): Promise<Response> {
  const response = await request();
  await response.text();
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      controller.error(new TypeError('terminated'));
    },
  });
  return new Response(broken, { status: response.status });
}

/** A proxy or the service refuses the request without processing it. */
export const refuse =
  (status: number, headers: Record<string, string> = { 'Retry-After': '0' }) =>
  async (): Promise<Response> =>
    new Response('<html>', { status, headers });

export function connect(options: Partial<ClientOptions> = {}) {
  return createClient({ apiKey, baseUrl: serviceUrl, ...options });
}

/** Not used by an earlier run, which may have left codes behind. */
export const uniqueCategory = () => `client test ${crypto.randomUUID()}`;

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9H0z"/></svg>';
/** A picture that may be a logo. */
export const square = new Blob([svg], { type: 'image/svg+xml' });
