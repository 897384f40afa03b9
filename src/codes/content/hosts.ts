import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../../http/parse-url.ts';
import type { CodeType } from '../qr-code.ts';
import type { CodeContent } from './code-content.ts';
import { webHrefOfAddress } from './links.ts';
import { trimEndOf } from './plain-text.ts';
import { parseContent } from './parse-content.ts';
import { unescapeValue } from './vcard-property.ts';

/** The longest name that DNS has. What is longer leads nowhere by itself. */
const longestName = 253;
const hostName = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;

/** Every host that the content leads to: in ASCII, small letters, without a dot behind it. */
export function hostsOf(type: CodeType, content: string): string[] {
  return hostsIn(parseContent(type, content), content);
}

/** Of a content as it is read and as it is stored: the picture of the content itself shows what is stored. */
export function hostsIn(content: CodeContent, stored: string): string[] {
  const addresses = [...linksIn(content), ...mentionsIn(content), stored];
  return [...new Set(addresses.flatMap(hostOfAddress))];
}

/** Where the share address redirects to, and what its page links to. The links on a map are ours. */
export function linksIn(content: CodeContent): string[] {
  switch (content.kind) {
    case 'link':
      return [content.href];
    case 'links':
      return content.lines.flatMap(({ href }) => href ?? []);
    case 'contact':
      return content.links.flatMap(({ href }) => href ?? []);
    default:
      return [];
  }
}

/** Our pages make no links of these, but whoever scans a text or opens a saved contact may be offered them as such. */
function mentionsIn(content: CodeContent): string[] {
  switch (content.kind) {
    case 'text':
      return [webHrefOfAddress(content.text.trim()) ?? '', ...addressesAmong(content.text)];
    case 'links':
      return content.lines.flatMap(({ text, href }) => (href === undefined ? addressesAmong(text) : []));
    case 'contact':
      return addressesAmong(unescapeValue(content.vcf.replaceAll('\r\n ', '')));
    default:
      return [];
  }
}

/** Up to the end of each host. An address within another one, such as in a query, leads nowhere by itself. */
function addressesAmong(text: string): string[] {
  const found = text.matchAll(/(https?:[/\\]*[^/\\?#\s"<>]*)[^\s"<>]*/gi);
  return [...found].map(([, address = '']) => address);
}

function hostOfAddress(text: string): string[] {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return [];
  return [normalizeHost(url.hostname)];
}

/** The host itself and every name above it: whichever of them is blocked, the host is. An IP address has none above. */
export function hostAndParents(host: string): string[] {
  if (isIpAddress(host)) return [host];
  const names: string[] = [];
  let dot = host.length;
  while (dot >= 0) {
    dot = dot === 0 ? -1 : host.lastIndexOf('.', dot - 1);
    const name = host.slice(dot + 1);
    if (name.length > longestName) break;
    if (name !== '') names.unshift(name);
  }
  return names;
}

/** A host as a person writes it, or the one in an address that was copied. */
export function parseHostInput(text: string): string | undefined {
  const written = text.trim();
  const isAddress = /^https?:\/\//i.test(written);
  if (!isAddress && /:\/\/|@/.test(written)) return undefined;
  // "*.example.com" and ".example.com" are other ways to say that names below it are meant too.
  const bare = isIPv6(written) ? `[${written}]` : written.replace(/^\*?\./, '');
  const url = parseUrl(isAddress ? written : `http://${bare}`);
  const host = url && normalizeHost(url.hostname);
  if (host === undefined) return undefined;
  return isIpAddress(host) || (hostName.test(host) && host.length <= longestName) ? host : undefined;
}

/** A name with none above it, such as `com`. */
export function isTopLevel(host: string): boolean {
  return !isIpAddress(host) && !host.includes('.');
}

function isIpAddress(host: string): boolean {
  return host.startsWith('[') || isIPv4(host);
}

/** One spelling for each: no dot behind it, and an IPv4 address as such, also where IPv6 carries it. */
export function normalizeHost(host: string): string {
  if (!host.startsWith('[')) return trimEndOf(host, '.');
  return carriedIpv4(host.slice(1, -1)) ?? host;
}

/** The prefixes of IPv6 that stand for the whole of IPv4, and the bit at which the IPv4 address begins. */
const carriers: [prefix: string, length: number, at: number][] = [
  ['::', 96, 96], // IPv4-compatible, out of use
  ['::ffff:0:0', 96, 96], // IPv4-mapped
  ['::ffff:0:0:0', 96, 96], // IPv4-translated
  ['64:ff9b::', 96, 96], // NAT64
  ['64:ff9b:1::', 48, 96], // NAT64 of a local network
  ['2002::', 16, 16], // 6to4
];

function carriedIpv4(text: string): string | undefined {
  if (!ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  // The unspecified address and the loopback address are addresses of their own.
  if (address.range() === 'unspecified' || address.range() === 'loopback') return undefined;
  const carrier = carriers.find(([prefix, length]) => address.match(ipaddr.IPv6.parse(prefix), length));
  if (!carrier) return undefined;
  const start = carrier[2] / 8;
  return address
    .toByteArray()
    .slice(start, start + 4)
    .join('.');
}
