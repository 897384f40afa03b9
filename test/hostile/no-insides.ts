import { expect } from 'chai';

/** What only the inside of the service knows: stacks, files, SQL, tables, hashes. */
const insides =
  /\n\s+at |node_modules|\.[jt]sx?:\d|syntax error at|relation "|violates|password_hash|secret_hash|user_id|QueryError|TypeError|RangeError/;

/** No answer, good or bad, tells of the inside. */
export function expectNoInsides(text: string): void {
  expect(text).to.not.match(insides);
}
