import { expect } from 'chai';
import { errorReasons } from '../../src/errors.ts';
import type { ApiClient } from './api-client.ts';

type ApiAnswer = Awaited<ReturnType<ApiClient>>;

export const errorCodes = [
  'validation_error',
  'invalid_api_key',
  'not_found',
  'rate_limited',
  'internal_error',
];

/** The one error body, with nothing of the inside of the service in it, and the headers of every answer. */
export function expectError({ status, headers, body }: ApiAnswer, expected: number, code: string): void {
  expect(status, JSON.stringify(body)).to.equal(expected);
  const { details, code: reason, ...rest } = body;
  if (reason !== undefined) expect(reason).to.be.oneOf(Object.keys(errorReasons));
  expect(rest).to.have.all.keys('error', 'message', 'requestId');
  expect(body.error).to.equal(code).and.to.be.oneOf(errorCodes);
  expect(body.message).to.match(/^\S.*\.$/su);
  expect(body.requestId).to.be.a('string').and.not.equal('');
  expect(headers.get('X-Request-Id')).to.equal(body.requestId);
  if (code !== 'validation_error') expect(details).to.equal(undefined);
  expect(JSON.stringify(body)).to.not.match(/node_modules|\.[jt]s:\d|\bat \w+ \(/);
  expectWindow(headers);
}

/** A 400 whose details name these fields, each once, and no other. */
export function expectInvalid(answer: ApiAnswer, fields: string[]): void {
  expectError(answer, 400, 'validation_error');
  const details = answer.body.details as { field: string; message: string }[] | undefined;
  expect(
    details?.map(({ field }) => field),
    JSON.stringify(answer.body),
  ).to.have.members(fields);
  for (const { message } of details ?? []) expect(message).to.be.a('string').and.not.equal('');
}

export function expectWindow(headers: Headers): void {
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
    expect(headers.get(name), name).to.match(/^\d+$/);
  }
}
