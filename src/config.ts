import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type Brand, readBrand } from './brand.ts';
import { SetupError } from './errors.ts';
import { type LinkConfig, readLinkConfig } from './http/link-config.ts';
import { defaultLimits, type Limits, type Plan, parseLimits, type PlanLimits } from './limits.ts';
import { parseUrl } from './http/parse-url.ts';
import { type MailConfig, readMailConfig } from './mail/mailer.ts';
import { type OpenIdConfig, readOpenIdConfig } from './net/openid-config.ts';
import { caFileError, parseRedisUrl } from './store/redis-address.ts';
import { rootSecretsError } from './store/root-secrets.ts';
import { hasScheme, hostsError, serverAddressError, splitHosts } from './store/database-url.ts';
import { poolBounds } from './store/pool-sizes.ts';
import { readTracingConfig } from './telemetry/tracing.ts';
import type { TracingConfig } from './telemetry/tracing-sdk.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const journalChoices = ['off', 'on', 'fsync'] as const;
const signUpChoices = ['open', 'closed'] as const;
const switchChoices = ['on', 'off'] as const;

export interface Config extends LinkConfig {
  /** The commit that this build was made from, shown beside the version. */
  commit: string | undefined;
  /** Serves pages for developers, too. */
  isDevelopment: boolean;
  port: number;
  /** Undefined: all addresses of the machine, IPv4 and IPv6. */
  host: string | undefined;
  baseUrl: string;
  dataDir: string;
  /** May name several hosts: connections go to the one that accepts writes. */
  databaseUrl: string | undefined;
  /** Each host is a replica of its own. */
  databaseReplicaUrl: string | undefined;
  /** Root secrets: the first is used for new values, all for reading. Empty: the one in the database. */
  rootSecrets: readonly string[];
  /** Connections to PostgreSQL that a web process opens for its statements, and to each replica; and a worker's. */
  webPoolSize: number;
  replicaPoolSize: number;
  workerPoolSize: number;
  /** A server, sentinels or a cluster: see store/redis-address.ts. */
  redisUrl: string | undefined;
  /** Certificates to trust instead of the well-known authorities, where `redisUrl` uses TLS. */
  redisCaFile: string | undefined;
  /** Queues that scans are spread over. */
  scanQueues: number;
  /** Whether batches are kept in DATA_DIR until they are recorded: in the page cache (`on`), or on the disk. */
  scanJournal: (typeof journalChoices)[number];
  qrCodeLifetimeDays: number;
  /** Whole months for which raw scans are kept. Undefined: forever. */
  scanRetentionMonths: number | undefined;
  /** For how long the history of changes is kept. */
  historyRetentionMonths: number;
  /** MaxMind DB file with places. Undefined: geoip-lite's data. */
  geoDatabase: string | undefined;
  trustProxyHops: number;
  logLevel: (typeof logLevels)[number];
  webConcurrency: number;
  /** How long an idle HTTP connection is kept open. */
  keepAliveSeconds: number;
  /** Per web process. At the limit, a new connection replaces an idle one. */
  maxConnections: number;
  /** A process that sends no heartbeat for this long is replaced. */
  hangLimitSeconds: number;
  /** How much a web process may spool on disk while the queue is down. */
  spoolMaxMb: number;
  /** Bearer token for `/metrics`. Undefined: `/metrics` is not served on the service's own port. */
  metricsToken: string | undefined;
  /** Separate ports for the metrics of the web and worker processes, and the address that they listen on. */
  metricsPort: number | undefined;
  workerMetricsPort: number | undefined;
  metricsHost: string | undefined;
  /** Undefined: no traces are exported. */
  tracing: TracingConfig | undefined;
  mail: MailConfig | undefined;
  /** Closed: accounts are created on the command line only, or by signing in with OpenID Connect: see OIDC_DOMAINS. */
  signUps: (typeof signUpChoices)[number];
  /** Undefined: nobody signs in with OpenID Connect. */
  openId: OpenIdConfig | undefined;
  /** Name, pictures and color of the service. */
  brand: Brand;
  /** False: the address of the service shows the sign-in page. */
  hasLandingPage: boolean;
  /** Whether strangers may look at an account with invented data. */
  hasDemo: boolean;
  webhooks: WebhookConfig;
  /** What an account of each plan may have, unless an operator has set something else for it. */
  limits: PlanLimits;
}

export type Environment = Record<string, string | undefined>;

interface Defaults {
  logLevel?: Config['logLevel'];
}

/** Reads the environment once. Reports all errors together, so that they can be fixed in one go. */
export function loadConfig(env: Environment, defaults: Defaults = {}): Readonly<Config> {
  const { config, errors } = readConfig(env, defaults);
  if (errors.length > 0) {
    throw new SetupError(
      `The environment has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n  - ${errors.join('\n  - ')}`,
    );
  }
  return config;
}

/** Does not throw. Each error starts with the name of its variable, which then has its default value. */
export function readConfig(
  env: Environment,
  defaults: Defaults = {},
): { config: Readonly<Config>; errors: string[]; variables: ReadonlySet<string> } {
  const errors: string[] = [];
  /** Every variable that is read, set or not. */
  const variables = new Set<string>();
  const report = (error: string) => void errors.push(error);
  const given = (name: string) => {
    variables.add(name);
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

  function serverUrl(name: string, protocols: string[]): string | undefined {
    const text = given(name);
    return text === undefined ? undefined : checkedUrl(name, text, protocols);
  }

  function databaseUrl(name: string, role: 'primary' | 'replica'): string | undefined {
    const text = given(name);
    if (text === undefined) return undefined;
    const protocols = ['postgres:', 'postgresql:'];
    const error = hasScheme(text, protocols) ? hostsError(text, role) : undefined;
    if (error) errors.push(`${name} ${error}`);
    else if (splitHosts(text).every((one) => checkedUrl(name, one, protocols) !== undefined)) return text;
    return undefined;
  }

  // The message does not repeat the value, which may contain a password.
  function checkedUrl(name: string, text: string, protocols: string[]): string | undefined {
    const url = parseUrl(text);
    const isServer = hasScheme(text, protocols);
    // An @ after the host: the password contains an unescaped character that ended the authority early.
    const isCut = url ? `${url.pathname}${url.search}${url.hash}`.includes('@') : isServer;
    const error = isServer ? serverAddressError(text, url) : undefined;
    if (error) {
      errors.push(`${name} ${error}`);
      return undefined;
    }
    if (url && protocols.includes(url.protocol) && !isCut) return text;
    errors.push(
      isServer
        ? `${name} is not a valid URL: in its password, write @ as %40, / as %2F, : as %3A, # as %23, ? as %3F and % as %25`
        : `${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    );
    return undefined;
  }

  function redisUrl(name: string): string | undefined {
    const text = given(name);
    const parsed = text === undefined ? undefined : parseRedisUrl(text);
    if (!parsed || 'address' in parsed) return text;
    errors.push(`${name} ${parsed.error}`);
    return undefined;
  }

  function caFile(name: string): string | undefined {
    const file = given(name);
    const error = file === undefined ? undefined : caFileError(file);
    if (!error) return file;
    errors.push(`${name} ${error}`);
    return undefined;
  }

  function choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const text = given(name);
    const known = choices.find((one) => one === (text ?? fallback));
    if (known) return known;
    errors.push(`${name} must be one of ${choices.join(', ')}, not "${text}"`);
    return fallback;
  }

  // The messages do not repeat the values, some of which are secrets.
  function matching(name: string, pattern: RegExp, requirement: string): string | undefined {
    const text = given(name);
    if (text === undefined || pattern.test(text)) return text;
    errors.push(`${name} must be ${requirement}`);
    return undefined;
  }

  function secretList(name: string): readonly string[] {
    const secrets = given(name)?.split(',') ?? [];
    const error = rootSecretsError(secrets);
    if (!error) return Object.freeze(secrets);
    errors.push(`${name} ${error}`);
    return [];
  }

  function planLimits(name: string, plan: Plan): Limits {
    const text = given(name);
    const parsed = text === undefined ? undefined : parseLimits(text);
    for (const error of parsed?.errors ?? []) errors.push(`${name} ${error}`);
    return Object.freeze({ ...defaultLimits[plan], ...parsed?.limits });
  }

  const poolSize = (name: string, pool: keyof typeof poolBounds) => {
    const { size, least, most } = poolBounds[pool];
    return integer(name, size, least, most);
  };
  const filePath = (name: string) => {
    const path = given(name);
    return path === undefined ? undefined : resolve(path);
  };
  const optionalPort = (name: string) => integer(name, 0, 1, 65_535) || undefined;

  const port = integer('PORT', 3000, 1, 65_535);
  const baseUrl = serverUrl('BASE_URL', ['http:', 'https:']) ?? `http://localhost:${port}`;
  const { origin, pathname, username, password } = new URL(baseUrl);
  if (/[?#]/.test(baseUrl) || username || password) {
    errors.push('BASE_URL must not have a query, fragment, user name or password');
  }

  const signUps = choice('SIGNUPS', signUpChoices, 'open');
  const landingPage = choice('LANDING_PAGE', switchChoices, 'on');
  const config: Config = {
    commit: matching('QRELAY_COMMIT', /^[\w.-]{1,64}$/, 'a commit: at most 64 letters, digits, . - _'),
    isDevelopment: env['NODE_ENV'] === 'development',
    port,
    host: given('HOST'),
    // Normalized by the URL parser, because printed share links start with it.
    baseUrl: `${origin}${pathname}`.replace(/\/+$/, ''),
    dataDir: resolve(given('DATA_DIR') ?? '.data'),
    databaseUrl: databaseUrl('DATABASE_URL', 'primary'),
    databaseReplicaUrl: databaseUrl('DATABASE_REPLICA_URL', 'replica'),
    rootSecrets: secretList('QRELAY_SECRET'),
    webPoolSize: poolSize('WEB_POOL_SIZE', 'web'),
    replicaPoolSize: poolSize('REPLICA_POOL_SIZE', 'replica'),
    workerPoolSize: poolSize('WORKER_POOL_SIZE', 'worker'),
    redisUrl: redisUrl('REDIS_URL'),
    redisCaFile: caFile('REDIS_CA_FILE'),
    scanQueues: integer('SCAN_QUEUES', 1, 1, 64),
    scanJournal: choice('SCAN_JOURNAL', journalChoices, 'off'),
    qrCodeLifetimeDays: integer('QR_CODE_LIFETIME_DAYS', 365, 1, 36_500),
    scanRetentionMonths: integer('SCAN_RETENTION_MONTHS', 0, 1, 1_200) || undefined,
    historyRetentionMonths: integer('HISTORY_RETENTION_MONTHS', 24, 1, 1_200),
    geoDatabase: filePath('GEO_DATABASE'),
    trustProxyHops: integer('TRUST_PROXY_HOPS', 0, 0, 16),
    logLevel: choice('LOG_LEVEL', logLevels, defaults.logLevel ?? 'info'),
    webConcurrency: integer('WEB_CONCURRENCY', 1, 1, 64),
    keepAliveSeconds: integer('KEEP_ALIVE_SECONDS', 75, 1, 3_600),
    maxConnections: integer('MAX_CONNECTIONS', 8_000, 100, 1_000_000),
    hangLimitSeconds: integer('HANG_LIMIT_SECONDS', 30, 5, 3_600),
    spoolMaxMb: integer('SPOOL_MAX_MB', 256, 1, 1_000_000),
    metricsToken: matching(
      'METRICS_TOKEN',
      /^[!-~]{16,}$/,
      'at least 16 ASCII characters without spaces; `openssl rand -hex 16` generates one',
    ),
    metricsPort: optionalPort('METRICS_PORT'),
    workerMetricsPort: optionalPort('WORKER_METRICS_PORT'),
    metricsHost: given('METRICS_HOST') ?? given('HOST'),
    tracing: readTracingConfig(given, report),
    mail: readMailConfig(given, report),
    signUps,
    openId: readOpenIdConfig(given, report),
    brand: readBrand(given, report),
    hasLandingPage: landingPage === 'on',
    hasDemo: choice('DEMO', switchChoices, signUps === 'open' ? landingPage : 'off') === 'on',
    webhooks: readWebhookConfig(given, integer, report),
    limits: Object.freeze({ free: planLimits('FREE_LIMITS', 'free'), pro: planLimits('PRO_LIMITS', 'pro') }),
    ...readLinkConfig(given, report),
  };
  if (config.redisCaFile && !/^rediss/i.test(given('REDIS_URL') ?? ''))
    errors.push(
      'REDIS_CA_FILE is set, but REDIS_URL does not use TLS: start REDIS_URL with rediss, or remove REDIS_CA_FILE',
    );
  if (config.scanQueues > 1 && !given('REDIS_URL'))
    errors.push(
      'SCAN_QUEUES must be 1 while the queue is in PostgreSQL: set REDIS_URL, or remove SCAN_QUEUES',
    );
  if (config.scanJournal !== 'off' && !given('REDIS_URL'))
    errors.push(
      'SCAN_JOURNAL must be off while the queue is in PostgreSQL, which loses no scans unless it loses everything: set REDIS_URL, or remove SCAN_JOURNAL',
    );
  if (config.metricsPort === port) errors.push('METRICS_PORT must differ from PORT');
  if (config.databaseReplicaUrl && given('DATABASE_URL') === undefined)
    errors.push('DATABASE_REPLICA_URL needs DATABASE_URL: the embedded database has no replica');
  return { config: Object.freeze(config), errors, variables };
}

/** For processes that are started without the embedded database. */
export function requireDatabaseUrl(config: Config): string {
  if (config.databaseUrl) return config.databaseUrl;
  throw new SetupError(
    'DATABASE_URL is not set. Set it to a PostgreSQL database, or run `npm start`, which includes one.',
  );
}

export interface WebhookConfig {
  /** Networks that webhooks and checks of destinations may call besides public addresses, in CIDR notation. */
  networks: readonly string[];
  /** How long one call may take. */
  timeoutSeconds: number;
}

type ReadInteger = (name: string, fallback: number, least: number, most: number) => number;

/** Reads the variables of webhooks. Each error starts with the name of its variable. */
function readWebhookConfig(
  given: (name: string) => string | undefined,
  integer: ReadInteger,
  onError: (error: string) => void,
): WebhookConfig {
  const networks = (given('WEBHOOK_NETWORKS') ?? '')
    .split(',')
    .map((network) => network.trim())
    .filter((network) => network !== '');
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined)
    onError(
      `WEBHOOK_NETWORKS must be networks in CIDR notation, such as 10.0.0.0/8, separated by commas, not "${wrong}"`,
    );
  return Object.freeze({
    networks: Object.freeze(wrong === undefined ? networks : []),
    timeoutSeconds: integer('WEBHOOK_TIMEOUT_SECONDS', 10, 1, 30),
  });
}

/** Without ipaddr.js, so that commands that only read the configuration need not load it. */
function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%') || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (version === 4 ? 32 : 128);
}
