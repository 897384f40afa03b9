/**
 * Every `code` of an error response, for programs that react to more than the five values of `error`. The OpenAPI document and
 * docs/api.md list them. New ones may be added; none changes its meaning.
 */
export const errorReasons = {
  invalid_fields: 'A field or parameter is invalid; `details` names each.',
  malformed_body: 'The body is not JSON in UTF-8, is empty, or did not arrive completely.',
  qr_code_not_found: 'A QR code that the body names does not exist or belongs to another account.',
  quota_exceeded: 'The account has as much of it as its plan allows.',
  name_taken: 'Another style of the account has this name.',
  design_unreadable: 'Phones could not read the code in this design; `details` says what to change.',
  file_rejected: 'The uploaded file is not of an accepted type, or cannot be read.',
  too_many_waiting: 'Too many QR codes of the account wait for a style.',
  endpoint_disabled: 'The webhook endpoint is disabled.',
  period_too_large: 'The period contains more than one replay may send.',
  idempotency_key_reused: 'The `Idempotency-Key` was used for another request.',
  account_blocked: 'The operator has blocked the account of the API key.',
  method_not_allowed: 'The path does not accept the method.',
  request_timeout: 'The request took too long to arrive.',
  request_in_progress: 'A request with the same `Idempotency-Key` is still being processed.',
  version_conflict: 'It was changed since the version in `If-Match`, or by another request at the same time.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The body has another type or content encoding than the operation accepts.',
  overloaded: 'Too much of the same work is in progress.',
  database_unavailable: 'The service cannot reach its database.',
} as const;

export type ErrorReason = keyof typeof errorReasons;
