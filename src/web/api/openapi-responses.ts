import { type ErrorReason, errorReasons } from '../../errors.ts';
import { anonymousHourlyQuota, limitDefinitions } from '../../limits.ts';
import { choice, Type } from '../../schema.ts';

const reasonList = Object.entries(errorReasons)
  .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
  .join(' ');

export const errorShape = Type.Object(
  {
    error: choice(
      ['validation_error', 'invalid_api_key', 'not_found', 'rate_limited', 'internal_error'],
      'The kind of error, one of five.',
    ),
    code: Type.Optional(
      Type.String({
        description: `What exactly is wrong, for your program. Only sent where \`error\` does not say it all. New codes may be added: treat one that you do not know like its \`error\`. ${reasonList}`,
        'x-extensible-enum': Object.keys(errorReasons),
      }),
    ),
    message: Type.String({ description: 'A sentence for people.' }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ description: 'Name of the field or parameter.' }),
          message: Type.String({ description: 'The rule that it violates.' }),
        }),
        {
          description:
            'Only for validation errors: every invalid field. At most 100 unknown fields are listed; the rest are counted.',
        },
      ),
    ),
    requestId: Type.String({
      description: 'The same as the `X-Request-Id` header. Include it when you contact support.',
    }),
  },
  { description: 'The body of every error response.' },
);

export interface ErrorResponse {
  name: string;
  description: string;
  example: {
    error: string;
    code?: ErrorReason;
    message: string;
    details?: { field: string; message: string }[];
  };
  headers?: string[];
  /** Headers that are not always sent. */
  optionalHeaders?: string[];
  /** Sent before the request was read, without the headers of other responses. */
  isUnread?: true;
}

/** Every error of the API, by status. */
export const errorResponses: Record<number, ErrorResponse> = {
  400: {
    name: 'ValidationError',
    description: 'The body or a parameter is invalid. `details` lists every invalid field.',
    example: {
      error: 'validation_error',
      code: 'invalid_fields',
      message: 'size must be at most 2048.',
      details: [{ field: 'size', message: 'must be at most 2048' }],
    },
  },
  401: {
    name: 'InvalidApiKey',
    description:
      'The API key is missing, malformed, unknown, revoked or expired, or its workspace is blocked.',
    example: {
      error: 'invalid_api_key',
      message: 'A valid API key is required. Send it in the header Authorization: Bearer <API_KEY>.',
    },
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'InsufficientScope',
    description: 'The API key does not have the scope that the operation needs.',
    example: {
      error: 'invalid_api_key',
      code: 'insufficient_scope',
      message:
        'This operation needs an API key with the scope codes. Create one at https://qr.example.com/keys.',
    },
    headers: ['WWW-Authenticate'],
  },
  404: {
    name: 'NotFound',
    description: 'It does not exist or belongs to another workspace.',
    example: { error: 'not_found', message: 'There is no such QR code.' },
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'This path does not accept this method.',
    example: {
      error: 'validation_error',
      code: 'method_not_allowed',
      message: 'PUT is not allowed here; use GET, HEAD, PATCH, DELETE.',
    },
    headers: ['Allow'],
  },
  408: {
    name: 'RequestTimeout',
    description:
      'The request took too long to arrive: the whole of it 30 seconds, or a file less than 16 KB in 5 seconds. The connection is closed.',
    example: {
      error: 'validation_error',
      code: 'request_timeout',
      message: 'The request took too long to arrive.',
    },
    isUnread: true,
  },
  409: {
    name: 'InProgress',
    description:
      'With the `code` `request_in_progress`: a request with the same `Idempotency-Key` is still being processed. With `restore_conflict`: fields that the restored version would set were changed again since; `details` has both values of each.',
    example: {
      error: 'validation_error',
      code: 'request_in_progress',
      message: 'A request with this Idempotency-Key is still being processed. Try again in a second.',
    },
    optionalHeaders: ['Retry-After'],
  },
  412: {
    name: 'VersionConflict',
    description:
      'It was changed since the version in `If-Match`, or by another request meanwhile. Nothing was changed.',
    example: {
      error: 'validation_error',
      code: 'version_conflict',
      message:
        'It was changed since you read it. Read it again and repeat your change, with the new ETag in If-Match.',
    },
  },
  413: {
    name: 'BodyTooLarge',
    description: 'The body is too large.',
    example: {
      error: 'validation_error',
      code: 'payload_too_large',
      message: 'The body must have at most 65536 bytes.',
    },
  },
  415: {
    name: 'NotJson',
    description: 'The body is not JSON, or its content encoding is not supported.',
    example: {
      error: 'validation_error',
      code: 'unsupported_media_type',
      message: 'The body must be JSON. Send the header Content-Type: application/json.',
    },
  },
  429: {
    name: 'RateLimited',
    description: `Hourly quota exceeded: ${limitDefinitions.requestsPerHour.free} requests per key on Free, ${limitDefinitions.requestsPerHour.pro} on Pro, unless the operator has changed them; ${anonymousHourlyQuota} per IP address without a valid key. Wait until the time in \`X-RateLimit-Reset\`.`,
    example: {
      error: 'rate_limited',
      message: 'The limit of 20 requests per hour is exceeded. Try again in 1260 seconds.',
    },
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalError',
    description: 'Something went wrong on our side. Try again later.',
    example: { error: 'internal_error', message: 'Something went wrong on our side. Try again later.' },
  },
  503: {
    name: 'Unavailable',
    description: 'The service is temporarily unavailable. Try again after the time in `Retry-After`.',
    example: {
      error: 'internal_error',
      code: 'database_unavailable',
      message: 'The service cannot reach its database right now. Try again shortly.',
    },
    headers: ['Retry-After'],
  },
};

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** By name, for the components of the document. */
export const headers: JsonObject = {
  'X-RateLimit-Limit': header('Requests allowed within one hour.'),
  'X-RateLimit-Remaining': header('Requests left right now.'),
  'X-RateLimit-Reset': header(
    'Unix time in seconds. After a 429: when you can try again. Otherwise: when the oldest request of the last hour stops counting.',
  ),
  'X-Request-Id': header('The identifier of this request in our logs.', 'string'),
  'Retry-After': header('Seconds to wait before you try again.'),
  'WWW-Authenticate': header(
    '`Bearer`. In a 403, followed by `error="insufficient_scope"` and the `scope` that is needed.',
    'string',
  ),
  Allow: header('The methods that this path accepts.', 'string'),
  'Qrelay-Warning': {
    ...header(
      'Why phones may fail to read the code, and what to change, as a sentence without commas. One header per reason; not sent if there is none.',
      'string',
    ),
    required: false,
  },
  Location: header('The address of what the response describes.', 'string'),
  'Content-Disposition': header('`attachment` with a file name.', 'string'),
  ETag: header(
    'The version: send it in `If-Match` to change only this version, or in `If-None-Match` to read only another one.',
    'string',
  ),
  'Idempotency-Replayed': {
    ...header(
      'Always `true`: the request was processed before, and this is its response. Not sent with the first response.',
      'string',
    ),
    required: false,
  },
};

export const idempotencyKey = headerParameter(
  'Idempotency-Key',
  'Makes it safe to send the request again: for 24 hours, requests with the same key get the response of the first that succeeded, and change nothing. Use a new random key, such as a UUID, for each request.',
  { minLength: 1, maxLength: 255 },
);
export const ifMatch = headerParameter(
  'If-Match',
  'The `ETag` of the version that you want to change. If it was changed since, nothing happens, and the status is 412.',
);
export const ifNoneMatch = headerParameter(
  'If-None-Match',
  'The `ETag` of the version that you have. If it is still the same, for a QR code with the same number of scans, the status is 304, without a body.',
);

function header(description: string, type = 'integer'): JsonObject {
  return { description, required: true, schema: { type } };
}

function headerParameter(name: string, description: string, bounds: JsonObject = {}): JsonObject {
  return { name, in: 'header', required: false, description, schema: { type: 'string', ...bounds } };
}
