import type { components } from './schema.ts';

type ErrorBody = components['schemas']['Error'];
export type ErrorDetail = NonNullable<ErrorBody['details']>[number];

/** The API answered with an error, after all retries. If no response arrived at all, the error of `fetch` is thrown. */
export class QrelayError extends Error {
  override readonly name = 'QrelayError';
  readonly status: number;
  /** `error` of the response, one of five; `internal_error` where a proxy answered in its place. */
  readonly code: ErrorBody['error'];
  /** `code` of the response: what exactly is wrong, such as `quota_exceeded`. New ones may be added. */
  readonly reason: string | undefined;
  /** Every invalid field of a validation error. */
  readonly details: ErrorDetail[];
  /** To be quoted when you ask for help. */
  readonly requestId: string | undefined;
  /** How long the API asks to wait before the next request. */
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, body: Partial<ErrorBody>, retryAfterMs: number | undefined) {
    super(body.message ?? messageOf(response));
    this.status = response.status;
    this.code = body.error ?? 'internal_error';
    this.reason = body.code;
    this.details = body.details ?? [];
    this.requestId = body.requestId ?? response.headers.get('X-Request-Id') ?? undefined;
    this.retryAfterMs = retryAfterMs;
  }
}

function messageOf({ status, headers }: Response): string {
  const location = status >= 300 && status < 400 ? headers.get('Location') : null;
  return location === null
    ? `The server answered ${status}.`
    : `The server redirects to ${location}: change baseUrl.`;
}

export async function toError(response: Response): Promise<QrelayError> {
  const text = await response.text().catch(() => '');
  return new QrelayError(response, parseBody(text), parseRetryAfter(response.headers.get('Retry-After')));
}

/** A proxy may answer with HTML. */
function parseBody(text: string): Partial<ErrorBody> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** Seconds, or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
