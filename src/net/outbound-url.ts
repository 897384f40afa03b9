import { isIP } from 'node:net';
import { parseUrl } from '../http/parse-url.ts';
import type { AddressPolicy } from './address-policy.ts';

const maxUrlLength = 2_000;
/** Names that never lead to a public address. */
const localName = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;
/** Below them are services that could be made to read a request as something else, such as SMTP. */
const firstFreePort = 1_024;

/**
 * Why the service does not call this URL; undefined if it may. What a name resolves to is checked when a socket connects:
 * see `createOutboundRequest`.
 */
export function outboundUrlError(text: string, policy: AddressPolicy): string | undefined {
  const url = text.length <= maxUrlLength ? parseUrl(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[\s\p{Cc}]/u.test(text))
    return `must be an absolute http or https URL with at most ${maxUrlLength} characters`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  // The URL parser leaves out the port that the scheme has anyway.
  const isFree = url.port === '' || Number(url.port) >= firstFreePort;
  if (!isFree && url.port !== '80' && url.port !== '443')
    return `must have the port 80, 443 or one above ${firstFreePort - 1}`;
  const host = hostOf(url);
  const isRefused = isIP(host) > 0 ? !policy.permits(host) : isLocal(host, policy);
  return isRefused ? 'must lead to a public IP address, not to a private or local network' : undefined;
}

/** The parser of URLs has turned other notations, such as 0x7f.1 or 2130706433, into the usual one. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function isLocal(host: string, policy: AddressPolicy): boolean {
  return localName.test(host.replace(/\.$/, '')) && !policy.permits('127.0.0.1');
}
