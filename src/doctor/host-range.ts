import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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
