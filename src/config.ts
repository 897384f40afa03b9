import { resolve } from 'node:path';
import { SetupError } from './errors.ts';
import { parseUrl } from './http/parse-url.ts';
import { serverAddressError } from './store/server-address.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const signUpChoices = ['open', 'closed'] as const;

export interface Config {
  port: number;
  /** Absent: every address of the machine, IPv4 and IPv6. */
  host: string | undefined;
  baseUrl: string;
  dataDir: string;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  qrCodeLifetimeDays: number;
  trustProxyHops: number;
  logLevel: (typeof logLevels)[number];
  webConcurrency: number;
  /** For how long an idle connection is kept. */
  keepAliveSeconds: number;
  /** Of a web process; a further one takes the place of an idle one. */
  maxConnections: number;
  /** A process that has not shown a sign of life for this long is replaced. */
  hangLimitSeconds: number;
  /** How much a web process may keep on disk for a queue that is down. */
  spoolMaxMb: number;
  /** What whoever reads the metrics must carry. Absent: `/metrics` is not on the service's own port. */
  metricsToken: string | undefined;
  /** Ports of their own for the metrics of the web and of the worker process. */
  metricsPort: number | undefined;
  workerMetricsPort: number | undefined;
  /** An e-mail address or an http(s) address, for whoever meets abuse. */
  abuseContact: string | undefined;
  /** Closed: only the command line makes accounts. */
  signUps: (typeof signUpChoices)[number];
  /** URLs in the footer of every page, where set. */
  footerLinks: Readonly<Record<FooterLink, string | undefined>>;
}

export type FooterLink = 'privacy' | 'imprint' | 'terms' | 'contact' | 'source';

type Environment = Record<string, string | undefined>;

interface Defaults {
  logLevel?: Config['logLevel'];
}

/** Reads the environment once. Every error is reported together, so that one start is enough to mend them all. */
export function loadConfig(env: Environment, defaults: Defaults = {}): Readonly<Config> {
  const { config, errors } = readConfig(env, defaults);
  if (errors.length > 0) {
    throw new SetupError(
      `The environment has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n  - ${errors.join('\n  - ')}`,
    );
  }
  return config;
}

/** For whoever goes on in spite of errors: each begins with the name of its variable, which then has its default. */
export function readConfig(
  env: Environment,
  defaults: Defaults = {},
): { config: Readonly<Config>; errors: string[] } {
  const errors: string[] = [];
  const given = (name: string) => {
    const value = env[name]?.trim();
    return value === '' ? undefined : value;
  };

  function integer(name: string, fallback: number, least: number, most: number): number {
    const text = given(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    errors.push(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
    return fallback;
  }

  // The value itself is not repeated: an address may hold a password.
  function address(name: string, protocols: string[]): string | undefined {
    const text = given(name);
    if (text === undefined) return undefined;
    const url = parseUrl(text);
    const isKnown = protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`));
    // An @ behind the host: what was meant as a password has ended early.
    const isCut = url ? `${url.pathname}${url.search}${url.hash}`.includes('@') : isKnown;
    const error = isKnown ? serverAddressError(text, url) : undefined;
    if (error) {
      errors.push(`${name} ${error}`);
      return undefined;
    }
    if (url && protocols.includes(url.protocol) && !isCut) return text;
    errors.push(
      isKnown
        ? `${name} cannot be read: in its password, write @ as %40, / as %2F, : as %3A, # as %23, ? as %3F and % as %25`
        : `${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    );
    return undefined;
  }

  function choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const text = given(name);
    const known = choices.find((one) => one === (text ?? fallback));
    if (known) return known;
    errors.push(`${name} must be one of ${choices.join(', ')}, not "${text}"`);
    return fallback;
  }

  function contact(name: string): string | undefined {
    const text = given(name);
    if (text === undefined || /^[^\s@<>()",;:/]+@[^\s@<>()",;:/]+$/.test(text)) return text;
    const url = parseUrl(text);
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
    errors.push(
      `${name} must be an e-mail address, such as abuse@example.com, or an address that starts with http:// or https://`,
    );
    return undefined;
  }

  function pageLink(name: string, mayBeMail = false): string | undefined {
    const text = given(name);
    if (text === undefined) return undefined;
    const url = parseUrl(text);
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
    if (mayBeMail && url?.protocol === 'mailto:' && /^[^\s@]+@[^\s@]+$/.test(url.pathname)) return url.href;
    errors.push(
      `${name} must be a URL that starts with http:// or https://${mayBeMail ? ', or mailto: and an e-mail address' : ''}`,
    );
    return undefined;
  }

  // Not repeated either: it is a secret.
  function token(name: string): string | undefined {
    const text = given(name);
    if (text === undefined || /^[!-~]{16,}$/.test(text)) return text;
    errors.push(
      `${name} must be at least 16 characters of ASCII, without spaces: \`openssl rand -hex 16\` makes one`,
    );
    return undefined;
  }

  const optionalPort = (name: string) => integer(name, 0, 1, 65_535) || undefined;

  const port = integer('PORT', 3000, 1, 65_535);
  const baseUrl = address('BASE_URL', ['http:', 'https:']) ?? `http://localhost:${port}`;
  const { origin, pathname, username, password } = new URL(baseUrl);
  if (/[?#]/.test(baseUrl) || username || password) {
    errors.push('BASE_URL must have no query, fragment, user name or password');
  }

  const config: Config = {
    port,
    host: given('HOST'),
    // As the parser writes it: what else was accepted is not what a printed address should begin with.
    baseUrl: `${origin}${pathname}`.replace(/\/+$/, ''),
    dataDir: resolve(given('DATA_DIR') ?? '.data'),
    databaseUrl: address('DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: address('REDIS_URL', ['redis:', 'rediss:']),
    qrCodeLifetimeDays: integer('QR_CODE_LIFETIME_DAYS', 365, 1, 36_500),
    trustProxyHops: integer('TRUST_PROXY_HOPS', 0, 0, 16),
    logLevel: choice('LOG_LEVEL', logLevels, defaults.logLevel ?? 'info'),
    webConcurrency: integer('WEB_CONCURRENCY', 1, 1, 64),
    keepAliveSeconds: integer('KEEP_ALIVE_SECONDS', 75, 1, 3_600),
    maxConnections: integer('MAX_CONNECTIONS', 8_000, 100, 1_000_000),
    hangLimitSeconds: integer('HANG_LIMIT_SECONDS', 30, 5, 3_600),
    spoolMaxMb: integer('SPOOL_MAX_MB', 256, 1, 1_000_000),
    metricsToken: token('METRICS_TOKEN'),
    metricsPort: optionalPort('METRICS_PORT'),
    workerMetricsPort: optionalPort('WORKER_METRICS_PORT'),
    abuseContact: contact('ABUSE_CONTACT'),
    signUps: choice('SIGNUPS', signUpChoices, 'open'),
    footerLinks: Object.freeze({
      privacy: pageLink('PRIVACY_URL'),
      imprint: pageLink('IMPRINT_URL'),
      terms: pageLink('TERMS_URL'),
      contact: pageLink('CONTACT_URL', true),
      source: pageLink('SOURCE_URL'),
    }),
  };
  if (config.metricsPort === port) errors.push('METRICS_PORT must be another port than PORT');
  return { config: Object.freeze(config), errors };
}

/** For the processes that cannot do without a database of their own choosing. */
export function requireDatabaseUrl(config: Config): string {
  if (config.databaseUrl) return config.databaseUrl;
  throw new SetupError(
    'DATABASE_URL is not set. Set it to a PostgreSQL database, or run `npm start`, which brings its own.',
  );
}
