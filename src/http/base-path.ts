import type { RequestListener } from 'node:http';

/** The first name of every path that the service answers. */
export const ownNames: ReadonlySet<string> = new Set([
  '',
  'account',
  'admin',
  'api',
  'assets',
  'codes',
  'docs',
  'healthz',
  'keys',
  'metrics',
  'r',
  'readyz',
  'signin',
  'signout',
  'signup',
]);

const slash = 0x2f;

/** The path of BASE_URL, without a slash behind it. Empty where it has none. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

/** Takes requests at the path of BASE_URL, whether the proxy in front passes that path on or strips it. */
export function mountAt(basePath: string, handle: RequestListener): RequestListener {
  if (basePath === '') return handle;
  return (req, res) => {
    const url = originForm(req.url ?? '');
    if (url.startsWith(basePath)) req.url = withoutBase(url, basePath);
    handle(req, res);
  };
}

/** Some proxies ask for the whole address, and HTTP wants that understood. What is neither stays as it is. */
export function originForm(url: string): string {
  if (url.charCodeAt(0) === slash) return url;
  const [isWhole, rest = ''] = /^https?:\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  if (isWhole === undefined) return url;
  return rest.charCodeAt(0) === slash ? rest : `/${rest}`;
}

/** With BASE_URL https://example.com/codes, `/codes/new` and `/codes` were stripped, `/codes/codes/new` was not. */
function withoutBase(url: string, basePath: string): string {
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return ownNames.has(firstName(rest)) ? rest : url;
  const isWhole = rest === '' || rest.startsWith('?');
  return isWhole && !ownNames.has(firstName(basePath)) ? `/${rest}` : url;
}

function firstName(path: string): string {
  return path.slice(1).split(/[/?]/, 1)[0] ?? '';
}
