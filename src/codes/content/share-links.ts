import { parseUrl } from '../../http/parse-url.ts';
import { normalizeHost } from './hosts.ts';
import { percentDecode } from './percent.ts';

/**
 * Whether a URL is a share address of this service, however it is spelled. The port is ignored: the service is often
 * reachable at several, and proxies redirect between them.
 */
export function isShareLink(address: string, baseUrl: string): boolean {
  const url = parseUrl(address);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return false;
  const share = new URL(`${baseUrl}/r/`);
  return (
    normalizeHost(url.hostname) === normalizeHost(share.hostname) &&
    normalizePath(url).startsWith(normalizePath(share))
  );
}

/** As a proxy may normalize it: percent-encoding decoded, slashes merged, lower case. */
function normalizePath({ pathname }: URL): string {
  return percentDecode(pathname)
    .replace(/[/\\]+/g, '/')
    .toLowerCase();
}
