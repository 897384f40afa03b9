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
  'WWW-Authenticate': header('Always `Bearer`.', 'string'),
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
