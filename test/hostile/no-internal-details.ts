import { expect } from 'chai';

/** Internal details: stacks, files, SQL, tables, hashes. */
const insides =
  /\n\s+at |node_modules|\.[jt]sx?:\d|syntax error at|relation "|violates|password_hash|secret_hash|user_id|QueryError|TypeError|RangeError/;

/** No response, success or error, contains internal details. */
export function expectNoInternalDetails(text: string): void {
  expect(text).to.not.match(insides);
}
