import { parseUrl } from '../../http/parse-url.ts';

const maxPathLength = 2_000;
/** The sections of the app. Not share links, which redirect wherever their owner wants. */
const appPage = /^\/(?:(?:codes|keys|account|docs)(?:\/[\w.-]+){0,2})?$/;
const base = 'http://own.invalid';

/**
 * The page to return to after signing in, if it is one of the app's. Parsed as browsers do and returned as parsed, so that
 * dots, slashes and backslashes cannot turn it into another page or site (open redirect).
 */
export function safeReturnPath(next: unknown): string | undefined {
  if (typeof next !== 'string' || next.length > maxPathLength || !next.startsWith('/')) return undefined;
  const url = parseUrl(base + next);
  return url && appPage.test(url.pathname) ? url.pathname + url.search : undefined;
}
