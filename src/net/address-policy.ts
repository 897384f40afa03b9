import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../http/parse-url.ts';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Which addresses the service may connect to on behalf of a user. */
export interface AddressPolicy {
  /** `address` is what a socket connects to: an IPv4 or IPv6 address without brackets. */
  permits(address: string): boolean;
}

/** Global unicast. Other IPv6 addresses are local, or contain an IPv4 address that may be. */
const globalIpv6 = ipaddr.parseCIDR('2000::/3');
/** A public address that answers only inside Azure, with credentials of the machine. */
const metadataAddress = '168.63.129.16';

/** Public addresses, and those in `networks`, which the operator allows. */
export function createAddressPolicy(networks: readonly string[] = []): AddressPolicy {
  const allowed = networks.map((network) => ipaddr.parseCIDR(network));
  return {
    permits(address) {
      // Only the usual notation: ipaddr.js also reads 0177.1.
      if (isIP(address) === 0 || address.includes('%')) return false;
      const parsed = ipaddr.process(address);
      return allowed.some((network) => isIn(parsed, network)) || isPublic(parsed);
    },
  };
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || address.toString() === metadataAddress) return false;
  return address.kind() === 'ipv4' || isIn(address, globalIpv6);
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

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
  // The parser of URLs has turned other notations, such as 0x7f.1 or 2130706433, into the usual one.
  const host = hostOf(url.href);
  const isRefused = isIP(host) > 0 ? !policy.permits(host) : isLocal(host, policy);
  return isRefused ? 'must lead to a public IP address, not to a private or local network' : undefined;
}

function isLocal(host: string, policy: AddressPolicy): boolean {
  return localName.test(host.replace(/\.$/, '')) && !policy.permits('127.0.0.1');
}

const privateRanges = new Set(['loopback', 'private', 'linkLocal', 'carrierGradeNat', 'uniqueLocal']);

/** The host name or address of a URL, without port and brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || rangeOf(host) === 'loopback';
}

/** Not reachable from the internet: a private address, or a name that is not in public DNS. */
export function isPrivate(host: string): boolean {
  const range = rangeOf(host);
  if (range !== undefined) return privateRanges.has(range);
  return !host.includes('.') || /\.(local|lan|internal|home\.arpa)$/.test(host);
}

/** Undefined for a host name. An IPv4-mapped IPv6 address has the range of its IPv4 address. */
function rangeOf(host: string): string | undefined {
  return isIP(host) ? ipaddr.process(host).range() : undefined;
}
