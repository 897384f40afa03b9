/** The five error codes of the API and the default status of each. */
const defaultStatus = {
  validation_error: 400,
  invalid_api_key: 401,
  not_found: 404,
  rate_limited: 429,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof defaultStatus;

/**
 * Every `code` of an error response, for programs that react to more than the five values of `error`. The OpenAPI document and
 * docs/api.md list them. New ones may be added; none changes its meaning.
 */
export const errorReasons = {
  invalid_fields: 'A field or parameter is invalid; `details` names each.',
  malformed_body: 'The body is not JSON in UTF-8, is empty, or did not arrive completely.',
  qr_code_not_found: 'A QR code that the body names does not exist or belongs to another workspace.',
  quota_exceeded: 'The workspace has as much of it as its plan allows.',
  name_taken: 'Another style of the workspace has this name.',
  design_unreadable: 'Phones could not read the code in this design; `details` says what to change.',
  file_rejected: 'The uploaded file is not of an accepted type, or cannot be read.',
  too_many_waiting: 'Too many QR codes of the workspace wait for a style.',
  endpoint_disabled: 'The webhook endpoint is disabled.',
  period_too_large: 'The period contains more than one replay may send.',
  idempotency_key_reused: 'The `Idempotency-Key` was used for another request.',
  account_blocked: 'The operator has blocked the workspace of the API key.',
  insufficient_scope: 'The API key does not have the scope that the operation needs; `message` names it.',
  method_not_allowed: 'The path does not accept the method.',
  request_timeout: 'The request took too long to arrive.',
  request_in_progress: 'A request with the same `Idempotency-Key` is still being processed.',
  version_conflict: 'It was changed since the version in `If-Match`, or by another request at the same time.',
  restore_conflict:
    'Fields that the restored version would set were changed again since; `details` has both values of each.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The body has another type or content encoding than the operation accepts.',
  overloaded: 'Too much of the same work is in progress.',
  database_unavailable: 'The service cannot reach its database.',
} as const;

export type ErrorReason = keyof typeof errorReasons;

export interface FieldError {
  field: string;
  message: string;
}

interface AppErrorOptions {
  status?: number;
  details?: FieldError[];
  headers?: Record<string, string>;
  /** For programs, where the five codes are too coarse: `quota_exceeded`. */
  code?: ErrorReason;
  cause?: unknown;
}

/** An error whose message may be shown to the client. Any other error becomes `internal_error`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: FieldError[] | undefined;
  readonly headers: Record<string, string>;
  /** `code` of the response. */
  readonly reason: ErrorReason | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? defaultStatus[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.reason = options.code;
  }
}

/** A 503 with Retry-After. Not logged by the error middleware: the code that throws it logs it, throttled. */
export class BusyError extends AppError {
  constructor(message: string, options: { retryAfterSeconds: number; cause?: unknown }) {
    super('internal_error', message, {
      status: 503,
      headers: { 'Retry-After': String(options.retryAfterSeconds) },
      code: 'overloaded',
      cause: options.cause,
    });
    this.name = 'BusyError';
  }
}

const maxInMessage = 20;

/** `details` lists every invalid field, the message the first 20. */
export function invalid(details: FieldError[], options: Pick<AppErrorOptions, 'code'> = {}): AppError {
  const named = details.slice(0, maxInMessage).map(({ field, message }) => `${field || '""'} ${message}`);
  const more = details.length - named.length;
  if (more > 0) named.push(`and ${more} more, see details`);
  return new AppError('validation_error', `${named.join('; ')}.`, {
    code: 'invalid_fields',
    ...options,
    details,
  });
}

/** A setup error that the operator can fix. Printed without a stack trace. */
export class SetupError extends Error {
  override name = 'SetupError';
}
