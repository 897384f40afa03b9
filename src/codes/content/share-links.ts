import { parseUrl } from '../../http/parse-url.ts';
import { normalizeHost } from './hosts.ts';
import { percentDecode } from './percent.ts';

/**
 * Whether an address is a share address of this service, in whatever spelling. The port does not matter: the same
 * service often answers at several, and proxies lead from one to another.
 */
export function isShareLink(address: string, baseUrl: string): boolean {
  const url = parseUrl(address);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return false;
  const share = new URL(`${baseUrl}/r/`);
  return (
    normalizeHost(url.hostname) === normalizeHost(share.hostname) &&
    plainPath(url).startsWith(plainPath(share))
  );
}

/** As a proxy may write it: percent-encoding decoded, slashes merged, small letters. */
function plainPath({ pathname }: URL): string {
  return percentDecode(pathname)
    .replace(/[/\\]+/g, '/')
    .toLowerCase();
}
