import type { ErrorReason } from './error-codes.ts';

/** The five error codes of the API and the default status of each. */
const defaultStatus = {
  validation_error: 400,
  invalid_api_key: 401,
  not_found: 404,
  rate_limited: 429,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof defaultStatus;

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

/** A setup problem that the operator can fix. Printed without a stack trace. */
export class SetupError extends Error {
  override name = 'SetupError';
}
