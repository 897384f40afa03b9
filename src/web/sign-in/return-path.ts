import { parseUrl } from '../../http/parse-url.ts';

const maxPathLength = 2_000;
/** The sections of the app. A share address is none: it leads wherever its owner wants. */
const appPage = /^\/(?:(?:codes|keys|account|docs)(?:\/[\w.-]+){0,2})?$/;
const base = 'http://own.invalid';

/**
 * Where to go on after the sign-in: a page of the app, or nothing. Read as a browser would read it, so that no dots, slashes
 * or backslashes make another page or another site of it, and given as it was read.
 */
export function safeReturnPath(next: unknown): string | undefined {
  if (typeof next !== 'string' || next.length > maxPathLength || !next.startsWith('/')) return undefined;
  const url = parseUrl(base + next);
  return url && appPage.test(url.pathname) ? url.pathname + url.search : undefined;
}
