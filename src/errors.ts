/** The five error codes of the contract and the status each has unless a more exact one is given. */
const statusOfCode = {
  validation_error: 400,
  invalid_api_key: 401,
  not_found: 404,
  rate_limited: 429,
  internal_error: 500,
} as const;

export type ErrorCode = keyof typeof statusOfCode;

export interface FieldError {
  field: string;
  message: string;
}

interface ErrorOptionsOfApp {
  status?: number;
  details?: FieldError[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A failure that may be shown to the caller as it is. Anything else becomes `internal_error`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: ErrorOptionsOfApp = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? statusOfCode[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** Too much at once: a 503 to try again after. Whoever throws it logs it, so that a flood of them is one line. */
export class BusyError extends AppError {
  constructor(message: string, options: { retryAfterSeconds: number; cause?: unknown }) {
    super('internal_error', message, {
      status: 503,
      headers: { 'Retry-After': String(options.retryAfterSeconds) },
      cause: options.cause,
    });
    this.name = 'BusyError';
  }
}

const mostInSentence = 20;

/** Every bad field is named in the details, and in the sentence too unless there are many. */
export function invalid(details: FieldError[]): AppError {
  const named = details.slice(0, mostInSentence).map(({ field, message }) => `${field || '""'} ${message}`);
  const more = details.length - named.length;
  if (more > 0) named.push(`and ${more} more, see details`);
  return new AppError('validation_error', `${named.join('; ')}.`, { details });
}

/** A failure of set-up that an operator mends: printed as one sentence, without a stack. */
export class SetupError extends Error {
  override name = 'SetupError';
}
