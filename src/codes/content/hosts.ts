import { isIPv4, isIPv6 } from 'node:net';
import { parseUrl } from '../../parse-url.ts';
import type { CodeType } from '../qr-code.ts';
import type { CodeContent } from './code-content.ts';
import { readContent } from './read-content.ts';

/** The longest name that DNS has. What is longer leads nowhere by itself. */
const longestName = 253;
const hostName = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;

/** Every host that the content leads to: in ASCII, small letters, without a dot behind it. */
export function hostsOf(type: CodeType, content: string): string[] {
  return hostsIn(readContent(type, content));
}

export function hostsIn(content: CodeContent): string[] {
  return [...new Set(addressesIn(content).flatMap(hostOfAddress))];
}

/** The links on a map are ours, and those of the other kinds open no page. */
function addressesIn(content: CodeContent): string[] {
  switch (content.kind) {
    case 'link':
      return [content.href];
    case 'links':
      return content.lines.flatMap(({ href }) => href ?? []);
    case 'contact':
      return content.links.flatMap(({ href }) => href ?? []);
    case 'text':
      // Its page makes no link of it, but the picture of the content itself is one.
      return [content.text];
    default:
      return [];
  }
}

function hostOfAddress(text: string): string[] {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return [];
  return [plainHost(url.hostname)];
}

/** The host itself and every name above it: whichever of them is blocked, the host is. An IP address has none above. */
export function namesOver(host: string): string[] {
  if (isIpAddress(host)) return [host];
  const labels = host.split('.');
  return labels
    .map((_, index) => labels.slice(index).join('.'))
    .filter((name) => name.length > 0 && name.length <= longestName);
}

/** A host as a person writes it, or the one in an address that was copied. */
export function readHost(text: string): string | undefined {
  const written = text.trim();
  const isAddress = /^https?:\/\//i.test(written);
  if (!isAddress && /:\/\/|@/.test(written)) return undefined;
  // "*.example.com" and ".example.com" are other ways to say that names below it are meant too.
  const bare = isIPv6(written) ? `[${written}]` : written.replace(/^\*?\./, '');
  const url = parseUrl(isAddress ? written : `http://${bare}`);
  const host = url && plainHost(url.hostname);
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
function plainHost(host: string): string {
  const [, high, low] = /^\[(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return host.replace(/\.+$/, '');
  const bytes = [high, low].flatMap((part) => [
    Number.parseInt(part, 16) >> 8,
    Number.parseInt(part, 16) & 255,
  ]);
  return bytes.join('.');
}
