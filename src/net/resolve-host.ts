import { lookup, type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { callbackify } from 'node:util';

type Done = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Finds all addresses of a name. */
export type Resolve = (host: string, done: Done) => void;

interface DnsOptions {
  /** Those of the system if not set. */
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
export const resolveBySystem: Resolve = (host, done) => lookup(host, { all: true }, done);
