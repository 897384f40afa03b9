import type { RequestListener } from 'node:http';

/** The first segment of every path that the service handles. */
export const ownSegments: ReadonlySet<string> = new Set([
  '',
  '.well-known',
  'account',
  'admin',
  'api',
  'assets',
  'brand',
  'codes',
  'demo',
  'docs',
  'f',
  'healthz',
  'history',
  'history.csv',
  'invitations',
  'keys',
  'members',
  'metrics',
  'r',
  'readyz',
  'signin',
  'signout',
  'signup',
  'unsubscribe',
  'w',
  'webhooks',
  'workspace',
  'workspaces',
]);

const slash = 0x2f;

/** The path of BASE_URL without its trailing slash, or ''. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

/** Handles requests under the path of BASE_URL, whether the proxy in front forwards that path or strips it. */
export function mountAt(basePath: string, handle: RequestListener): RequestListener {
  if (basePath === '') return handle;
  return (req, res) => {
    const url = originForm(req.url ?? '');
    if (url.startsWith(basePath)) req.url = withoutBase(url, basePath);
    handle(req, res);
  };
}

/** Turns an absolute-form target (`http://host/path`), which HTTP servers must accept, into `/path`. Leaves others alone. */
export function originForm(url: string): string {
  if (url.charCodeAt(0) === slash) return url;
  const [absolute, rest = ''] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  if (absolute === undefined) return url;
  return rest.charCodeAt(0) === slash ? rest : `/${rest}`;
}

/** With BASE_URL https://example.com/codes, the proxy has stripped `/codes/new` and `/codes`, but not `/codes/codes/new`. */
function withoutBase(url: string, basePath: string): string {
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return ownSegments.has(firstSegment(rest)) ? rest : url;
  const isBaseItself = rest === '' || rest.startsWith('?');
  return isBaseItself && !ownSegments.has(firstSegment(basePath)) ? `/${rest}` : url;
}

function firstSegment(path: string): string {
  return path.slice(1).split(/[/?]/, 1)[0] ?? '';
}
