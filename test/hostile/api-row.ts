import { expect } from 'chai';
import { errorReasons } from '../../src/errors.ts';
import { expectDocumented } from '../support/api-client.ts';
import { expectWindow } from '../support/expect-error.ts';
import type { RawAnswer } from '../support/raw-request.ts';
import { expectNoInternalDetails } from './no-internal-details.ts';

/** The expected response: success with these fields, or one of the five errors with its message. */
export type ApiExpectation =
  | { status: 200 | 201 | 204 | 304; has?: object }
  | { status: number; error: string; message: string; details?: Record<string, string>; allow?: string }
  | { status: number; unread: string };

export interface ApiRow {
  name: string;
  method?: string;
  /** Below `/api/v1`, unless it is the whole one. `:id` is a code of the caller. */
  path: string;
  isWhole?: true;
  version?: string;
  headers?: [name: string, value: string][];
  host?: boolean;
  body?: string | Uint8Array;
  /** The default is a valid key. `{key}` in the headers is replaced by a valid one, too. */
  withoutKey?: true;
  gets: ApiExpectation;
}

export const menu = { name: 'Menu', content: 'https://example.com/menu' };
/** A host that is named in a header must not appear in a response. */
const elsewhere = 'evil.example';
const json: [string, string] = ['Content-Type', 'application/json'];

/** A POST body, with the headers of a normal client. */
export function creating(
  name: string,
  body: string | Uint8Array,
  gets: ApiExpectation,
  headers: [string, string][] = [],
): ApiRow {
  const hasType = headers.some(([header]) => header.toLowerCase() === 'content-type');
  return {
    name,
    method: 'POST',
    path: '/qrcodes',
    body,
    headers: hasType ? headers : [json, ...headers],
    gets,
  };
}

/** Fields of an otherwise valid code. */
export function withFields(name: string, fields: object, gets: ApiExpectation): ApiRow {
  return creating(name, JSON.stringify({ ...menu, ...fields }), gets);
}

/** A change of the caller's own code. */
export function changing(name: string, fields: object, gets: ApiExpectation): ApiRow {
  return { name, method: 'PATCH', path: '/qrcodes/:id', headers: [json], body: JSON.stringify(fields), gets };
}

/** 400, with exactly these fields in the details and in the message. */
export function refused(details: Record<string, string>): ApiExpectation {
  const said = Object.entries(details).map(([field, message]) => `${field || '""'} ${message}`);
  return { status: 400, error: 'validation_error', message: `${said.join('; ')}.`, details };
}

export const made = (has: object = {}): ApiExpectation => ({ status: 201, has });
export const fine = (has: object = {}): ApiExpectation => ({ status: 200, has });
export const tooLong: ApiExpectation = {
  status: 413,
  error: 'validation_error',
  message: 'The body must have at most 65536 bytes.',
};
export const notJson: ApiExpectation = {
  status: 415,
  error: 'validation_error',
  message: 'The body must be JSON. Send the header Content-Type: application/json.',
};
export const noKey: ApiExpectation = {
  status: 401,
  error: 'invalid_api_key',
  message: 'A valid API key is required. Send it in the header Authorization: Bearer <API_KEY>.',
};
export const noCode: ApiExpectation = {
  status: 404,
  error: 'not_found',
  message: 'There is no such QR code.',
};
export const nothing: ApiExpectation = {
  status: 404,
  error: 'not_found',
  message: 'There is nothing at this address.',
};
export const notAllowed = (method: string, allow: string): ApiExpectation => ({
  status: 405,
  error: 'validation_error',
  message: `${method} is not allowed here; use ${allow}.`,
  allow,
});

/** A request that is not valid HTTP has no route: it has no rate-limit window and is not in the OpenAPI document. */
export const unread: ApiExpectation = { status: 400, unread: 'The request is not valid HTTP.' };
export const withoutHost: ApiExpectation = { status: 400, unread: 'The request has no Host header.' };
export const withTwoHosts: ApiExpectation = {
  status: 400,
  unread: 'The request has more than one Host header.',
};

/** The exact response, and what applies to every response: documented, with all headers, without internal details. */
export function expectAnswer(row: ApiRow, { status, headers, text }: RawAnswer): void {
  const { gets } = row;
  expect(status, text).to.equal(gets.status);
  const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
  expectNoInternalDetails(text);
  expect([...headers].flat().join()).to.not.contain(elsewhere);
  if (!JSON.stringify(row.body ?? '').includes(elsewhere)) expect(text).to.not.contain(elsewhere);
  const requestId = headers.get('X-Request-Id');
  if ('unread' in gets) {
    const said = { error: 'validation_error', message: gets.unread, requestId };
    expect(body).to.deep.equal(said);
    return;
  }
  expect(requestId).to.match(/^[0-9a-f-]{36}$/);
  expectDocumented(row.method ?? 'GET', documentedPath(row), { status, headers, body });
  expectWindow(headers);
  if (!('error' in gets)) {
    for (const [field, value] of Object.entries(gets.has ?? {}))
      expect(body?.[field], field).to.deep.equal(value);
    return;
  }
  if (row.method === 'HEAD') return;
  const { details, requestId: repeated, code, ...said } = body ?? {};
  if (code !== undefined) expect(code).to.be.oneOf(Object.keys(errorReasons));
  expect(said).to.deep.equal({ error: gets.error, message: gets.message });
  expect(repeated).to.equal(requestId);
  const listed = gets.details && Object.entries(gets.details).map(([field, message]) => ({ field, message }));
  expect(details).to.deep.equal(listed);
  if (gets.allow) expect(headers.get('Allow')).to.equal(gets.allow);
}

/** The router ignores a trailing slash; the document has the path without. */
function documentedPath({ path, gets }: ApiRow): string {
  const [plain = ''] = path.replace(/^.*\/api\/v1(?=\/)/, '').split('?');
  return 'error' in gets ? plain : plain.replace(/\/$/, '');
}
