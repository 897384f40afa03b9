import { QrelayError, toError } from './errors.ts';

export interface RequestOptions {
  /** Ends the request and its retries. */
  signal?: AbortSignal;
  /** For POST, PATCH and `deleteMany`. The default is a new one for each call, which its retries share. */
  idempotencyKey?: string;
}

export interface ApiRequest extends RequestOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, with its query. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  file?: Blob;
  headers?: Record<string, string>;
}

export interface SendOptions {
  apiKey: string;
  /** With `/api/v1`. */
  apiUrl: string;
  fetch: typeof globalThis.fetch;
  maxRetries: number;
  maxRetryDelayMs: number;
  timeoutMs: number;
}

const retriedStatuses = new Set([429, 500, 502, 503, 504]);
const firstDelayMs = 500;
const maxBackoffMs = 8_000;

/**
 * Sends a request, and again after a network error, a timeout or a temporary error. That is safe for every method: POST, PATCH
 * and a DELETE of many carry an Idempotency-Key, and a repeated DELETE of one that finds nothing has succeeded before.
 */
export async function send(request: ApiRequest, options: SendOptions): Promise<Response> {
  const { method, signal } = request;
  const init = { method, headers: headersOf(request, options.apiKey), body: bodyOf(request) };
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    const outcome = await attemptOnce(`${options.apiUrl}${request.path}`, init, signal, options);
    if (outcome instanceof Response) return outcome;
    signal?.throwIfAborted();
    const { error } = outcome;
    const { status, retryAfterMs } = error instanceof QrelayError ? error : {};
    if (status === 404 && method === 'DELETE' && attempt > 0) return new Response(null, { status: 204 });
    // 409 with Retry-After: a request with the same idempotency key is still being processed.
    const isInProgress = status === 409 && retryAfterMs !== undefined;
    const isTemporary = status === undefined || isInProgress || retriedStatuses.has(status);
    const delayMs = delayBefore(attempt, error);
    if (!isTemporary || attempt >= options.maxRetries || delayMs > options.maxRetryDelayMs) throw error;
    await wait(delayMs, signal);
  }
}

async function attemptOnce(
  url: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
  { fetch, timeoutMs }: SendOptions,
): Promise<Response | { error: unknown }> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      // Followed, a POST would become a GET, and another host would not get the key.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (!response.ok) return { error: await toError(response) };
    // Read here, so that a connection that breaks in the middle of the body is retried too.
    const body = response.status === 204 ? null : await response.arrayBuffer();
    return new Response(body, response);
  } catch (error) {
    return { error };
  }
}

function headersOf({ method, body, file, headers, idempotencyKey }: ApiRequest, apiKey: string) {
  const isRepeatable = method === 'GET' || method === 'PUT' || (method === 'DELETE' && body === undefined);
  return {
    Authorization: `Bearer ${apiKey}`,
    Accept: 'application/json',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(file && { 'Content-Type': file.type || 'application/octet-stream' }),
    ...(!isRepeatable && { 'Idempotency-Key': idempotencyKey ?? crypto.randomUUID() }),
    ...headers,
  };
}

function bodyOf({ body, file }: ApiRequest): string | Blob | null {
  if (file) return file;
  return body === undefined ? null : JSON.stringify(body);
}

/** What the server asks for; otherwise twice as long after each attempt, with jitter. */
function delayBefore(attempt: number, error: unknown): number {
  const asked = error instanceof QrelayError ? error.retryAfterMs : undefined;
  return asked ?? Math.min(maxBackoffMs, firstDelayMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
