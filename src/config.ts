import { resolve } from 'node:path';
import { SetupError } from './errors.ts';
import { parseUrl } from './parse-url.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

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
  /** How much a web process may keep on disk for a queue that is down. */
  spoolMaxMb: number;
}

type Environment = Record<string, string | undefined>;

/** Reads the environment once. Every fault is reported together, so that one start is enough to mend them all. */
export function loadConfig(
  env: Environment,
  defaults: { logLevel?: Config['logLevel'] } = {},
): Readonly<Config> {
  const faults: string[] = [];
  const given = (name: string) => {
    const value = env[name]?.trim();
    return value === '' ? undefined : value;
  };

  function integer(name: string, fallback: number, least: number, most: number): number {
    const text = given(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    faults.push(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
    return fallback;
  }

  // The value itself is not repeated: an address may hold a password.
  function address(name: string, protocols: string[]): string | undefined {
    const text = given(name);
    if (text === undefined) return undefined;
    if (protocols.includes(parseUrl(text)?.protocol ?? '')) return text;
    faults.push(`${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    return undefined;
  }

  function level(fallback: Config['logLevel']): Config['logLevel'] {
    const text = given('LOG_LEVEL');
    const known = logLevels.find((name) => name === (text ?? fallback));
    if (known) return known;
    faults.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${text}"`);
    return fallback;
  }

  const port = integer('PORT', 3000, 1, 65_535);
  const baseUrl = address('BASE_URL', ['http:', 'https:']) ?? `http://localhost:${port}`;
  const { origin, pathname, username, password } = new URL(baseUrl);
  if (/[?#]/.test(baseUrl) || username || password) {
    faults.push('BASE_URL must have no query, fragment, user name or password');
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
    logLevel: level(defaults.logLevel ?? 'info'),
    webConcurrency: integer('WEB_CONCURRENCY', 1, 1, 64),
    spoolMaxMb: integer('SPOOL_MAX_MB', 256, 1, 1_000_000),
  };
  if (faults.length > 0) {
    throw new SetupError(
      `The environment has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  - ${faults.join('\n  - ')}`,
    );
  }
  return Object.freeze(config);
}

/** For the processes that cannot do without a database of their own choosing. */
export function requireDatabaseUrl(config: Config): string {
  if (config.databaseUrl) return config.databaseUrl;
  throw new SetupError(
    'DATABASE_URL is not set. Set it to a PostgreSQL database, or run `npm start`, which brings its own.',
  );
}
