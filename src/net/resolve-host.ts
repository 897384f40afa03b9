import { lookup, type LookupAddress, Resolver } from 'node:dns';

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
  return (host, done) => {
    // One for each name, so that a change of the system's servers is seen.
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers) resolver.setServers(servers);
    const find = (family: 4 | 6) =>
      new Promise<LookupAddress[]>((fulfill, reject) => {
        const finish = (error: NodeJS.ErrnoException | null, found: string[]) =>
          error ? reject(error) : fulfill(found.map((address) => ({ address, family })));
        if (family === 4) resolver.resolve4(host, finish);
        else resolver.resolve6(host, finish);
      });
    void Promise.allSettled([find(4), find(6)]).then((results) => {
      const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      const errors = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as NodeJS.ErrnoException] : [],
      );
      done(addresses.length > 0 ? null : failureOf(host, errors), addresses);
    });
  };
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
