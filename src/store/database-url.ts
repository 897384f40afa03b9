import { accessSync, constants } from 'node:fs';

/**
 * One URL per host of a URL such as `postgres://user:password@a:5432,b:5432/qrelay`, which libpq accepts and pg does not.
 * Everything but the host is the same in each.
 */
export function splitHosts(text: string): string[] {
  const queryAt = text.search(/[?#]/);
  const main = queryAt < 0 ? text : text.slice(0, queryAt);
  const hostAt = Math.max(main.lastIndexOf('@'), main.indexOf('//') + 1) + 1;
  const pathAt = main.indexOf('/', hostAt);
  const hostEnd = pathAt < 0 ? main.length : pathAt;
  const [before, after] = [text.slice(0, hostAt), text.slice(hostEnd)];
  return main
    .slice(hostAt, hostEnd)
    .split(',')
    .map((host) => `${before}${host}${after}`);
}

/** Host, port and database of each server, without user and password. */
export function serverNames(databaseUrl: string): string {
  const urls = splitHosts(databaseUrl).map((url) => new URL(url));
  const [first] = urls;
  // A path with an @ is the rest of a password that was not escaped.
  const database = !first || first.pathname === '/' || first.pathname.includes('@') ? '' : first.pathname;
  return `${urls.map(({ host }) => host).join(',')}${database}`;
}

const attribute = 'target_session_attrs';
/** What libpq accepts as `target_session_attrs`, by what we need of the server. */
const accepted = {
  primary: ['read-write', 'primary'],
  replica: ['any', 'standby', 'prefer-standby', 'read-only'],
};
const maxHosts = 16;

/** The rest of the message "NAME …" for a URL whose hosts, or what it says about them, we cannot use. */
export function hostsError(text: string, role: keyof typeof accepted): string | undefined {
  if (parameter(text, 'host')?.includes(',')) {
    return 'must list its hosts before the database, as in postgres://user:password@a:5432,b:5432/qrelay';
  }
  const hosts = splitHosts(text);
  if (hosts.length > maxHosts) return `must not have more than ${maxHosts} hosts`;
  if (hosts.length > 1 && hosts.some((url) => /(?:\/\/|@)(?:[:/?#]|$)/.test(url)))
    return 'must have a name or address for each host';
  const given = parameter(text, attribute);
  if (given === undefined || accepted[role].includes(given)) return undefined;
  return `must not have ${attribute}=${given}: use ${accepted[role].join(' or ')}, or leave it out`;
}

/** Whether connections must look for the server that accepts writes: among several hosts, or because the URL asks for it. */
export function needsPrimarySearch(databaseUrl: string): boolean {
  return splitHosts(databaseUrl).length > 1 || parameter(databaseUrl, attribute) !== undefined;
}

function parameter(text: string, name: string): string | undefined {
  const [, query = ''] = text.split('?', 2);
  return new URLSearchParams(query.split('#', 1)[0]).get(name) ?? undefined;
}

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'];

export function hasScheme(text: string, protocols: string[]): boolean {
  return protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`));
}

/** The rest of the message "NAME …" for a server URL that we cannot use, although its scheme is right. */
export function serverAddressError(text: string, url: URL | undefined): string | undefined {
  if (hasSeveralHosts(text)) {
    return 'must name a single server: use a host name that follows the primary, or a proxy in front of the servers';
  }
  for (const name of fileParameters) {
    const file = url?.searchParams.get(name);
    try {
      if (file) accessSync(file, constants.R_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return `has ${name}=${file}, which cannot be read (${code}): use the path of a file that this user can read`;
    }
  }
  return undefined;
}

/** `a:5432,b:5432` as the host or in the `host` parameter, which libpq accepts. */
function hasSeveralHosts(text: string): boolean {
  const hostAt = Math.max(text.lastIndexOf('@'), text.indexOf('//') + 1) + 1;
  const [hosts = ''] = text.slice(hostAt).split(/[/?#]/, 1);
  return hosts.includes(',') || /[?&]host=[^&#,%]*(?:,|%2c)/i.test(text);
}

interface TlsError {
  reason: string;
  remedy: string;
}

const addAuthority =
  'Add sslmode=verify-full&sslrootcert=/path/to/ca.pem to DATABASE_URL, with the certificate of the authority that signed it.';

const unknownAuthority: TlsError = {
  reason: 'its certificate was issued by an authority that this machine does not know',
  remedy: addAuthority,
};

/** By the code of Node's error. */
const tlsErrors: Record<string, TlsError> = {
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_NOT_YET_VALID: {
    reason: 'its certificate is not valid yet',
    remedy: 'Correct the clock of this machine, or wait until the certificate is valid.',
  },
  CERT_HAS_EXPIRED: { reason: 'its certificate has expired', remedy: 'Renew it on the server.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'its certificate is for another host name',
    remedy: 'Set DATABASE_URL to a host name in the certificate, or get a certificate for this name.',
  },
};

const noTls: TlsError = {
  reason: 'it does not support TLS, which sslmode requires',
  remedy: 'Set ssl = on in postgresql.conf, or remove sslmode from DATABASE_URL if the network is trusted.',
};

/** Explains why a TLS connection to PostgreSQL failed; undefined for any other error. */
export function tlsError(error: Error): TlsError | undefined {
  // pg's own error, which has no code.
  if (error.message.includes('server does not support SSL connections')) return noTls;
  return 'code' in error && typeof error.code === 'string' ? tlsErrors[error.code] : undefined;
}
