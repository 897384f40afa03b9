import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../../http/parse-url.ts';
import { type CodeContent, type CodeType, contentKind, parseContent } from './content-types.ts';
import { percentDecode } from './payload-syntax.ts';
import { trimEndOf } from './plain-text.ts';

/** The longest name in DNS. */
const maxNameLength = 253;
const hostName = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;

/** Every host that the content links to: ASCII, lower case, without a trailing dot. */
export function hostsOf(type: CodeType, content: string): string[] {
  return hostsIn(parseContent(type, content), content);
}

/** From both the parsed and the stored content: the image of the content itself encodes what is stored. */
export function hostsIn(content: CodeContent, stored: string): string[] {
  const mentions = contentKind(content.kind).mentions?.(content) ?? [];
  return [...new Set([...linksIn(content), ...mentions, stored].flatMap(hostOfAddress))];
}

export function linksIn(content: CodeContent): string[] {
  return contentKind(content.kind).links?.(content) ?? [];
}

function hostOfAddress(text: string): string[] {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return [];
  return [normalizeHost(url.hostname)];
}

/** The host itself and its parent domains: a block of any of them applies. An IP address has no parents. */
export function hostAndParents(host: string): string[] {
  if (isIpAddress(host)) return [host];
  const names: string[] = [];
  let dot = host.length;
  while (dot >= 0) {
    dot = dot === 0 ? -1 : host.lastIndexOf('.', dot - 1);
    const name = host.slice(dot + 1);
    if (name.length > maxNameLength) break;
    if (name !== '') names.unshift(name);
  }
  return names;
}

/** A host as typed by a person, or the host of a pasted URL. */
export function parseHostInput(text: string): string | undefined {
  const written = text.trim();
  const isAddress = /^https?:\/\//i.test(written);
  if (!isAddress && /:\/\/|@/.test(written)) return undefined;
  // "*.example.com" and ".example.com" mean the same as "example.com", which includes subdomains.
  const bare = isIPv6(written) ? `[${written}]` : written.replace(/^\*?\./, '');
  const url = parseUrl(isAddress ? written : `http://${bare}`);
  const host = url && normalizeHost(url.hostname);
  if (host === undefined) return undefined;
  return isIpAddress(host) || (hostName.test(host) && host.length <= maxNameLength) ? host : undefined;
}

/** A name without a parent, such as `com`. */
export function isTopLevel(host: string): boolean {
  return !isIpAddress(host) && !host.includes('.');
}

function isIpAddress(host: string): boolean {
  return host.startsWith('[') || isIPv4(host);
}

/** Without a trailing dot, and with an IPv4 address that is embedded in IPv6 as IPv4. */
export function normalizeHost(host: string): string {
  if (!host.startsWith('[')) return trimEndOf(host, '.');
  return embeddedIpv4(host.slice(1, -1)) ?? host;
}

/** The IPv6 prefixes that embed an IPv4 address, and the bit at which it begins. */
const ipv4Prefixes: [prefix: string, length: number, at: number][] = [
  ['::', 96, 96], // IPv4-compatible, deprecated
  ['::ffff:0:0', 96, 96], // IPv4-mapped
  ['::ffff:0:0:0', 96, 96], // IPv4-translated
  ['64:ff9b::', 96, 96], // NAT64
  ['64:ff9b:1::', 48, 96], // NAT64, local use
  ['2002::', 16, 16], // 6to4
];

function embeddedIpv4(text: string): string | undefined {
  if (!ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  // The unspecified and the loopback address match ::/96, but embed nothing.
  if (address.range() === 'unspecified' || address.range() === 'loopback') return undefined;
  const found = ipv4Prefixes.find(([prefix, length]) => address.match(ipaddr.IPv6.parse(prefix), length));
  if (!found) return undefined;
  const start = found[2] / 8;
  return address
    .toByteArray()
    .slice(start, start + 4)
    .join('.');
}

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
