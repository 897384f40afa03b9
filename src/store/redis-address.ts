import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseUrl } from '../http/parse-url.ts';

/** One server, the primary that sentinels name, or a Redis Cluster. */
export interface RedisAddress {
  kind: 'single' | 'sentinel' | 'cluster';
  /** The server, the sentinels, or nodes of the cluster. */
  hosts: { host: string; port: number }[];
  tls: boolean;
  username: string | undefined;
  password: string | undefined;
  database: number;
  /** 4 or 6 where only one of them may be used, 0 for both. */
  family: number | undefined;
  /** For sentinels only. */
  primary: { name: string; sentinelUsername: string | undefined; sentinelPassword: string | undefined };
}

const sentinelExample = 'redis+sentinel://host1:26379,host2:26379/mymaster';
const clusterExample = 'redis+cluster://host1:6379,host2:6379';
const schemes = ['redis://', 'rediss://', 'redis+sentinel://', 'redis+cluster://'];
const allowedParameters = {
  single: ['family'],
  sentinel: ['family', 'sentinel_username', 'sentinel_password'],
  cluster: ['family'],
};
const escapes =
  'is not a valid URL: in its password, write @ as %40, / as %2F, : as %3A, # as %23, ? as %3F and % as %25';

/** Why an address cannot be used: the rest of a message that starts with "REDIS_URL". Repeats nothing of the address. */
class AddressError extends Error {}

/**
 * `redis://user:password@host:port/database`, with `rediss` for TLS; `redis+sentinel://` with several hosts and the name
 * of the primary before the database; `redis+cluster://` with several hosts. A `-` in place of the `+` is the same.
 */
export function parseRedisUrl(text: string): { address: RedisAddress } | { error: string } {
  try {
    return { address: parse(text) };
  } catch (error) {
    if (error instanceof AddressError) return { error: error.message };
    throw error;
  }
}

/** For code behind the configuration, which has checked the address. */
export function redisAddress(text: string): RedisAddress {
  const parsed = parseRedisUrl(text);
  if ('error' in parsed) throw new Error(`REDIS_URL ${parsed.error}`);
  return parsed.address;
}

/** Hosts, and database or name of the primary, for messages: without user and password. */
export function redisServerName(text: string): string {
  const { kind, hosts, database, primary } = redisAddress(text);
  const names = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
  const path = [primary.name, database === 0 ? '' : String(database)].filter((part) => part !== '');
  return `${kind === 'single' ? '' : `${kind} `}${[names, ...path].join('/')}`;
}

function parse(text: string): RedisAddress {
  const [start, secure, form = 'single'] = /^redis(s?)(?:[+-](sentinel|cluster))?:\/\//i.exec(text) ?? [];
  if (start === undefined)
    throw new AddressError(
      `must be a URL that starts with ${schemes.join(', ')}, or for TLS rediss+sentinel:// or rediss+cluster://`,
    );
  const kind = form.toLowerCase() as RedisAddress['kind'];
  const [, authority = '', path = '', query = '', fragment = ''] =
    /^([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(text.slice(start.length)) ?? [];
  // After an @ in the path or later, the password contains a character that ended the authority early.
  if (`${path}${query}${fragment}`.includes('@') || fragment !== '') throw new AddressError(escapes);
  const hostsAt = authority.lastIndexOf('@') + 1;
  const login = parseLogin(authority.slice(0, Math.max(0, hostsAt - 1)));
  const hosts = parseHosts(authority.slice(hostsAt), kind);
  const parameters = parseParameters(query, kind);
  const segments = path.split('/').slice(1).map(decode);
  if (segments.at(-1) === '') segments.pop();
  const name = kind === 'sentinel' ? segments.shift() : '';
  if (!name && kind === 'sentinel')
    throw new AddressError(`needs the name of the primary that the sentinels watch: ${sentinelExample}`);
  return {
    kind,
    hosts,
    tls: secure !== '',
    ...login,
    database: parseDatabase(segments, kind),
    family: parseFamily(parameters.get('family')),
    primary: {
      name: name ?? '',
      sentinelUsername: parameters.get('sentinel_username') ?? undefined,
      sentinelPassword: parameters.get('sentinel_password') ?? undefined,
    },
  };
}

function parseLogin(login: string): Pick<RedisAddress, 'username' | 'password'> {
  // A second @ or / belongs to a password that was not escaped.
  if (login.includes('@')) throw new AddressError(escapes);
  const colon = login.indexOf(':');
  const username = decode(colon < 0 ? login : login.slice(0, colon));
  const password = colon < 0 ? '' : decode(login.slice(colon + 1));
  if (username && !password)
    throw new AddressError(
      'has a user without a password: write user:password@, or :password@ without a user',
    );
  return { username: username || undefined, password: password || undefined };
}

function parseHosts(text: string, kind: RedisAddress['kind']): RedisAddress['hosts'] {
  const names = text.split(',');
  if (kind === 'single' && names.length > 1)
    throw new AddressError(
      `must name a single server, or start with another scheme: ${sentinelExample} for sentinels, ${clusterExample} for a Redis Cluster`,
    );
  return names.map((name, index) => {
    const which = names.length > 1 ? `host ${index + 1}` : 'the host';
    const [, bracketed, plain, colon, port] = /^(?:\[([^\]]*)\]|([^:]*))(?:(:)(.*))?$/.exec(name) ?? [];
    const host = bracketed ?? plain ?? '';
    if (host === '' || !parseUrl(`http://${name.replace(/:[^:\]]*$/, '')}`))
      throw new AddressError(
        `has no valid name for ${which}: write host:port, with an IPv6 address in brackets`,
      );
    const number = port === undefined ? defaultPort(kind) : /^\d{1,5}$/.test(port) ? Number(port) : 0;
    if (colon && (number < 1 || number > 65_535))
      throw new AddressError(`has no valid port for ${which}: write a number from 1 to 65535`);
    return { host, port: number };
  });
}

const defaultPort = (kind: RedisAddress['kind']) => (kind === 'sentinel' ? 26_379 : 6_379);

function parseDatabase(segments: string[], kind: RedisAddress['kind']): number {
  const [text = '0', ...rest] = segments;
  if (kind === 'cluster' && (rest.length > 0 || text !== '0'))
    throw new AddressError('names a database, but a Redis Cluster has only database 0: remove the path');
  if (rest.length > 0 || !/^\d{1,5}$/.test(text))
    throw new AddressError('has no valid database: write its number after the last /, such as /0');
  return Number(text);
}

function parseParameters(query: string, kind: RedisAddress['kind']): URLSearchParams {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (allowedParameters[kind].includes(name)) continue;
    const shown = /^\w{1,32}$/.test(name) ? `the parameter ${name}` : 'a parameter';
    throw new AddressError(
      `has ${shown}, which is not known: remove it (known: ${allowedParameters[kind].join(', ')})`,
    );
  }
  return parameters;
}

function parseFamily(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (['0', '4', '6'].includes(text)) return Number(text);
  throw new AddressError('has an invalid family: write family=4 for IPv4, family=6 for IPv6, or remove it');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AddressError(escapes);
  }
}

/** Why certificates cannot be read from the file: the rest of a message that starts with the name of its variable. */
export function caFileError(file: string): string | undefined {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `is ${file}, which cannot be read (${code}): use the path of a file that this user can read`;
  }
  return isCertificate(content)
    ? undefined
    : `is ${file}, which has no certificate: use a PEM file that starts with -----BEGIN CERTIFICATE-----`;
}

function isCertificate(content: Buffer): boolean {
  try {
    return new X509Certificate(content).raw.length > 0;
  } catch {
    return false;
  }
}
