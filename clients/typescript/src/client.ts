import { createCodeParts } from './code-parts.ts';
import { createCodes } from './codes.ts';
import { createAudit, createVersions } from './history.ts';
import { createPrints } from './prints.ts';
import type { components } from './schema.ts';
import { type ApiRequest, type RequestOptions, send } from './send.ts';
import { createStyles } from './styles.ts';
import { createWebhooks } from './webhook-endpoints.ts';

export interface ClientOptions {
  /** `qrl_…` */
  apiKey: string | undefined;
  /** Where the service is, without `/api/v1`: `https://qr.example.com`. */
  baseUrl: string | undefined;
  /** Number of attempts after the first; 3 unless told. */
  maxRetries?: number;
  /** If the server asks to wait for longer, the error is thrown at once; 60 s unless told. */
  maxRetryDelayMs?: number;
  /** Of one attempt; 30 s unless told. */
  timeoutMs?: number;
  fetch?: typeof globalThis.fetch;
}

/** The plan of the workspace of a key, its limits, and how much of them is used. */
export type Account = components['schemas']['Account'];

export type QrelayClient = ReturnType<typeof createClient>;

export function createClient({
  apiKey,
  baseUrl,
  maxRetries = 3,
  maxRetryDelayMs = 60_000,
  timeoutMs = 30_000,
  fetch = (input, init) => globalThis.fetch(input, init),
}: ClientOptions) {
  // Environment variables that are not set are found here, not by a 401 or a failed request.
  if (!apiKey) throw new TypeError('apiKey is missing.');
  if (!baseUrl) throw new TypeError('baseUrl is missing.');
  const apiUrl = `${baseUrl.replace(/\/+$/, '')}/api/v1`;
  const options = { apiKey, apiUrl, fetch, maxRetries, maxRetryDelayMs, timeoutMs };

  async function call<Result>(request: ApiRequest): Promise<{ result: Result; etag: string }> {
    const response = await send(request, options);
    const text = await response.text();
    // The types are those of the OpenAPI document, which the service is tested against.
    const result = (text === '' ? undefined : JSON.parse(text)) as Result;
    return { result, etag: response.headers.get('ETag') ?? '' };
  }

  async function download(request: ApiRequest): Promise<Uint8Array> {
    return new Uint8Array(await (await send(request, options)).arrayBuffer());
  }

  return {
    codes: {
      ...createCodes(call),
      ...createCodeParts(call),
      ...createVersions(call),
      ...createPrints(download),
    },
    styles: createStyles(call),
    webhooks: createWebhooks(call),
    audit: createAudit(call, download),
    /** What the workspace of the key may have, and has. */
    account: async (given: RequestOptions = {}): Promise<Account> =>
      (await call<Account>({ method: 'GET', path: '/account', ...given })).result,
    /** Any request of the API whose response is JSON, with the same retries. */
    request: async <Result>(request: ApiRequest): Promise<Result> => (await call<Result>(request)).result,
  };
}
