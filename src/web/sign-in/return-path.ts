import { parseUrl } from '../../http/parse-url.ts';
import { returnPaths } from '../ui/sections.ts';

const maxPathLength = 2_000;
const sectionPage = /^(\/[\w-]+)(?:\/[\w.-]+){0,2}$/;
const base = 'http://own.invalid';

/**
 * The page to return to after signing in, if it is one of the app's. Parsed as browsers do and returned as parsed, so that
 * dots, slashes and backslashes cannot turn it into another page or site (open redirect).
 */
export function safeReturnPath(next: unknown): string | undefined {
  if (typeof next !== 'string' || next.length > maxPathLength || !next.startsWith('/')) return undefined;
  const url = parseUrl(base + next);
  return url && isAppPage(url.pathname) ? url.pathname + url.search : undefined;
}

function isAppPage(path: string): boolean {
  return path === '/' || returnPaths.has(sectionPage.exec(path)?.[1] ?? '');
}
