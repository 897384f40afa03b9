// Looks through the log of a whole test run for what must never be in one. In plain JavaScript, as the runner is.
import { isIP } from 'node:net';

/** Of passwords there is no pattern: these are the ones that the tests use. */
const passwords = ['correct horse', 'wrong wrong', 'not the password', 'battery'];

const kinds = {
  'a key': (line) => /qrl_[0-9A-Za-z]{8}_[0-9A-Za-z]{8}/.test(line) || /\bbearer [\w.-]{8}/i.test(line),
  'a cookie': (line) => /qrelay-(?:session|visitor|device|challenge|handed)=|"(?:set-)?cookie"/i.test(line),
  'a password': (line) =>
    passwords.some((word) => line.includes(word)) || /:\/\/[^\s/:@"]*:[^\s/@"]+@/.test(line),
  'a query string': (line) => /"[^"\s]*\/[^"\s?]*\?[^"\s]*=/.test(line),
  'an e-mail': (line) => /[\w.+-]+@[\w-]+\.[a-z]{2,}/i.test(line),
  "a client's address": hasClientAddress,
};

/** The lines that a log is made of: what else a program prints is meant for whoever started it. */
export const isLogLine = (line) => line.startsWith('{"level":');

/** What of it is in a line. */
export function secretsIn(line) {
  return Object.keys(kinds).filter((kind) => kinds[kind](line));
}

/** Of addresses only those of our own servers may be told: of Postgres or Redis that could not be reached. */
function hasClientAddress(line) {
  const words =
    line.replace(/\bconnect E[A-Z]+ [0-9a-f:.]+/gi, '').match(/(?<!\w)[0-9a-f:.]{3,}(?!\w)/gi) ?? [];
  return words.some((word) => {
    const bare = word.replace(/^[.:]+(?=[0-9a-f])|[.:]+$/gi, '');
    return isIP(word) !== 0 || isIP(bare) !== 0;
  });
}
