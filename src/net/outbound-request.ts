import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { type AddressPolicy, outboundUrlError } from './address-policy.ts';

/** The request was not sent, because its address is not one that the service calls. */
export class RefusedAddressError extends Error {
  override name = 'RefusedAddressError';
}

export interface OutboundResponse {
  status: number;
  /** Cut off after `maxBodyBytes`. */
  body: string;
}

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'HEAD' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** Ends the exchange before its time is over. */
  signal?: AbortSignal;
}

interface OutboundOptions {
  policy: AddressPolicy;
  /** For everything: name resolution, connection, request and response. */
  timeoutMs: number;
  maxBodyBytes: number;
  resolve?: Resolve;
}

/**
 * Requests to addresses that users have chosen. The addresses of a name are checked when the socket connects, and the socket
 * connects to no other, so a name that changes in between (DNS rebinding) gains nothing. Redirects are not followed, proxies of
 * the environment not used, and connections not kept.
 */
export function createOutboundRequest({
  policy,
  timeoutMs,
  maxBodyBytes,
  resolve = createDnsResolve(),
}: OutboundOptions): (request: OutboundRequest) => Promise<OutboundResponse> {
  const lookup: LookupFunction = (host, options, callback) => {
    resolve(host, (error, addresses) => {
      const refused = addresses?.find(({ address }) => !policy.permits(address));
      const [first] = addresses ?? [];
      if (error) callback(error, '', 0);
      else if (refused || !first) callback(new RefusedAddressError('The name has no public address'), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

  return ({ url: text, method, headers, body, signal: given }) =>
    new Promise((fulfill, reject) => {
      // Also checks an address in the URL, for which a socket does not call `lookup`.
      const error = outboundUrlError(text, policy);
      if (error) throw new RefusedAddressError(`The URL ${error}`);
      const url = new URL(text);
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = given ? AbortSignal.any([timeout, given]) : timeout;
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }) },
        lookup,
        signal,
        agent: false,
        maxHeaderSize: 16_384,
      });
      const fail = (cause: Error) => reject(timeout.aborted ? timedOut(timeoutMs) : cause);
      // Whatever the other side does, so that nobody waits longer.
      signal.addEventListener('abort', () => fail(new Error('The call was ended')), { once: true });
      request.on('error', fail);
      // Without a listener, Node closes the connection and emits neither an error nor a response.
      request.on('upgrade', ({ statusCode = 0 }, socket) => {
        socket.destroy();
        fulfill({ status: statusCode, body: '' });
      });
      request.on('response', (response) => {
        readStart(response, maxBodyBytes).then(
          (start) => fulfill({ status: response.statusCode ?? 0, body: start }),
          fail,
        );
      });
      request.end(body);
    });
}

function timedOut(timeoutMs: number): Error {
  return Object.assign(new Error(`No complete response within ${timeoutMs / 1000} s`), { code: 'ETIMEDOUT' });
}

/** Closes the connection where the body goes on. */
async function readStart(response: http.IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, maxBytes - length));
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  response.destroy();
  return Buffer.concat(chunks).toString('utf8');
}

type Done = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Finds all addresses of a name. */
type Resolve = (host: string, done: Done) => void;

interface DnsOptions {
  /** Default: the servers of the system. */
  servers?: string[];
}

const timeoutMs = 2_000;
const tries = 2;
/** The name has no such address. Other errors say nothing about the name. */
const noAddress = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Asks DNS servers directly. The system's resolver occupies one of the four threads of libuv for as long as a name takes: a
 * few names whose servers do not answer would delay all others, and reconnecting to databases.
 */
export function createDnsResolve({ servers }: DnsOptions = {}): Resolve {
  const resolve = callbackify(async (host: string) => {
    // One for each name, so that a change of the system's servers is seen.
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers) resolver.setServers(servers);
    return findAddresses(resolver, host);
  });
  return (host, done) => resolve(host, (error, addresses) => done(error, addresses ?? []));
}

async function findAddresses(resolver: Resolver, host: string): Promise<LookupAddress[]> {
  const find = async (family: 4 | 6) => {
    const found = await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host));
    return found.map((address) => ({ address, family }));
  };
  const results = await Promise.allSettled([find(4), find(6)]);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (addresses.length > 0) return addresses;
  throw failureOf(
    host,
    results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as NodeJS.ErrnoException] : [],
    ),
  );
}

/** With the codes of the system's resolver: a server that does not answer must not look like a host that does not. */
function failureOf(host: string, errors: NodeJS.ErrnoException[]): NodeJS.ErrnoException {
  const isKnown = errors.every(({ code = '' }) => noAddress.has(code));
  const code = isKnown ? 'ENOTFOUND' : 'EAI_AGAIN';
  const message = isKnown ? `The name ${host} has no address` : `The name ${host} could not be resolved`;
  return Object.assign(new Error(message), { code });
}

/** Also knows the hosts file and search domains, which names in an operator's own network may need. */
export const resolveBySystem: Resolve = (host, done) => systemLookup(host, { all: true }, done);
