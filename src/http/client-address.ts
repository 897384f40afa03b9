import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type TraceContext, parseTraceparent } from './trace-context.ts';

/** An IPv6 address with zone, brackets and port fits. */
const maxLength = 100;

/**
 * The client's address: the socket's, or the one that the outermost of `trustedHops` proxies saw. X-Forwarded-For is read
 * from the right, because the client controls everything to the left of what our own proxies appended.
 */
export function clientAddress(
  socketAddress = '',
  forwarded: string | undefined,
  trustedHops: number,
): string {
  if (trustedHops === 0 || forwarded === undefined) return plainAddress(socketAddress);
  const seen = plainAddress(fromRight(forwarded, trustedHops));
  return isIP(seen) ? seen : plainAddress(socketAddress);
}

export interface ClientAddresses {
  read(socketAddress: string | undefined, forwarded: string | undefined): string;
  /** Requests that a proxy in our own network forwarded although none is trusted. */
  ignoredForwards(): number;
}

/** More than enough to tell, and then nothing is looked at any more. */
const maxCounted = 1_000;
const ownNetworks = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat']);

/** Counts, for the doctor, what shows that the number of hops is wrong. Keeps no address. */
export function createClientAddresses(trustedHops: number): ClientAddresses {
  let ignored = 0;
  return {
    read(socketAddress, forwarded) {
      const address = clientAddress(socketAddress, forwarded, trustedHops);
      // A client on the internet may send the header, too; then the connection is its own.
      if (trustedHops === 0 && forwarded !== undefined && ignored < maxCounted && isOwnNetwork(address))
        ignored += 1;
      return address;
    },
    ignoredForwards: () => ignored,
  };
}

function isOwnNetwork(address: string): boolean {
  return isIP(address) !== 0 && ownNetworks.has(ipaddr.process(address).range());
}

/** The entry at this position from the right, or the leftmost one. Does not split the list, which can be long. */
function fromRight(list: string, position: number): string {
  let end = list.length;
  let comma = list.lastIndexOf(',');
  for (let passed = 1; passed < position && comma >= 0; passed += 1) {
    end = comma;
    comma = comma === 0 ? -1 : list.lastIndexOf(',', comma - 1);
  }
  const part = list.slice(comma + 1, end).trim();
  return part.length <= maxLength ? part : '';
}

/** Removes brackets and port, and turns an IPv4-mapped IPv6 address into IPv4. */
function plainAddress(text: string): string {
  // The two forms that sockets have, without a parser: this runs once per redirect.
  if (!text.includes(':')) return text;
  if (text.startsWith('::ffff:') && isIPv4(text.slice(7))) return text.slice(7);
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text;
  if (isIPv6(bare)) return fromMapped(bare);
  return /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bare)?.[1] ?? bare;
}

function fromMapped(text: string): string {
  if (!/ffff:/i.test(text)) return text;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : text;
}

/** As Heroku's router accepts them. No address, API key or e-mail address has this form, and so none gets into the log. */
const requestId = /^[A-Za-z0-9+/=-]{20,200}$/;
const traceparent = 'traceparent';

/** The id that a trusted proxy gave to the request; undefined if it is none that we would log. */
export function forwardedRequestId(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && requestId.test(value) ? value : undefined;
}

/** For requests whose headers are not parsed into an object: the scan lane's. */
export function forwardedTrace(rawHeaders: readonly string[]): TraceContext | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== traceparent.length || name.toLowerCase() !== traceparent) continue;
    // Two of them contradict each other: W3C says to ignore both.
    if (found !== undefined) return undefined;
    found = rawHeaders[index + 1];
  }
  return parseTraceparent(found);
}
