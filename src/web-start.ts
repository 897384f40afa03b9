import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FoundSecret, type KnownSecret, createKnownSecret } from './accounts/known-secret.ts';
import { type ServiceSecrets, deriveSecrets } from './accounts/secrets.ts';
import { createRecentChanges } from './codes/codes.ts';
import type { Config } from './config.ts';
import { type HttpServer, openHttpServer } from './http/http-server.ts';
import { noticePage } from './redirect/pages/notice-pages.ts';
import { showPage } from './redirect/responses.ts';
import { applicationName, webPoolSizes } from './store/pool-sizes.ts';
import { type Database, openDatabase, setupErrorMessage } from './store/database.ts';
import { type Reads, createReads, readPrimary } from './store/reads.ts';
import { type Replicas, monitorReplicas } from './store/replicas.ts';
import type { Log } from './telemetry/log.ts';
import { type WebMetrics, addReplicaMetrics } from './telemetry/web-metrics.ts';
import { throttle } from './telemetry/throttle.ts';

const retryEveryMs = 500;
/** Lookups of share links have short deadlines, and a connection that hangs is soon free again. */
const lookupTimeouts = { queryTimeoutMs: 1_000, connectTimeoutMs: 1_000, acquireTimeoutMs: 1_000 };

export interface WebService {
  port: number;
  /** Accepts no more connections, finishes open requests, flushes the scans and closes every resource. */
  close(): Promise<void>;
}

export interface StartParts {
  config: Config;
  databaseUrl: string;
  log: Log;
  drainGraceMs: number;
  metrics: WebMetrics;
}

/** What everything else in a web process is built on. */
export interface WebBase {
  db: Database;
  /** For share links only. */
  lookups: Database;
  reads: Reads;
  replicas: Replicas | undefined;
  secrets: ServiceSecrets;
  /** Whether the primary answered when the process started. */
  hasPrimary: boolean;
  listen(handle: RequestListener): Promise<HttpServer>;
  onFailure(err: unknown): void;
  close(): Promise<void>;
}

/**
 * Opens the databases, finds the root secret, and calls `open` with them. Without the primary, the secret comes from a
 * replica or from the disk, and the process serves what it knows. Where it has the secret from nowhere, it listens, answers
 * 503, and goes on when the database answers.
 */
export async function startWebService(
  parts: StartParts,
  open: (base: WebBase) => Promise<WebService>,
): Promise<WebService> {
  const databases = openDatabases(parts);
  const { db, replicas, close } = databases;
  const { config, databaseUrl, log } = parts;
  const knownSecret = createKnownSecret({
    dataDir: config.dataDir,
    databaseUrl,
    db,
    replicas: replicas?.list ?? [],
  });
  const stopping = new AbortController();
  const door = createDoor(parts);

  const openWith = async (found: FoundSecret) => {
    const secrets = deriveSecrets(found.secret, config.rootSecrets);
    const confirming = confirmSecret(knownSecret, found, log, stopping.signal);
    const service = await open({
      ...databases,
      secrets,
      hasPrimary: found.from === 'primary',
      listen: door.listen,
      onFailure: door.onFailure,
    });
    return {
      ...service,
      async close() {
        stopping.abort();
        await service.close();
        await confirming;
      },
    };
  };

  let away: unknown;
  try {
    const found = await knownSecret.find((error) => {
      away = error;
    });
    if (found) {
      if (found.from !== 'primary')
        log.error(
          { secretFrom: found.from },
          `${setupErrorMessage(away)} Until then, share links that are known work, and everything else answers 503.`,
        );
      return await openWith(found);
    }
  } catch (error) {
    await close();
    throw error;
  }
  log.error(
    `${setupErrorMessage(away)} Until then, everything answers 503, because DATA_DIR has nothing from an earlier start.`,
  );
  const server = await door.listen(answerUnavailable);
  const opened = waitFor(() => knownSecret.find(), stopping.signal).then((found) => found && openWith(found));
  opened.then(
    (service) => service && log.info('the database is there; the process is complete'),
    (err: unknown) => {
      log.fatal({ err }, 'the process could not start');
      process.kill(process.pid, 'SIGTERM');
    },
  );
  return {
    port: server.port,
    async close() {
      stopping.abort();
      const service = await opened.catch(() => undefined);
      if (service) return service.close();
      await server.drain();
      await close();
    },
  };
}

/** Until `find` finds something, or the process is shut down. */
async function waitFor<Found>(
  find: () => Promise<Found | undefined>,
  signal: AbortSignal,
): Promise<Found | undefined> {
  while (!signal.aborted) {
    const found = await find();
    if (found) return found;
    await sleep(retryEveryMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/**
 * Keeps a copy of the secret for the next start, and once the primary answers checks one that did not come from there. With
 * another one, workers could not read what this process queues.
 */
function confirmSecret(
  knownSecret: KnownSecret,
  found: FoundSecret,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  async function confirm(): Promise<void> {
    const fromPrimary = async () => {
      const now = await knownSecret.find().catch(() => undefined);
      return now?.from === 'primary' ? now : undefined;
    };
    const confirmed = found.from === 'primary' ? found : await waitFor(fromPrimary, signal);
    if (!confirmed) return;
    await knownSecret.save(confirmed.secret);
    if (confirmed.secret?.equals(found.secret ?? Buffer.alloc(0)) ?? found.secret === undefined) return;
    log.fatal('the database has another root secret than this process started with; shutting down');
    process.kill(process.pid, 'SIGTERM');
  }
  return confirm().catch((err: unknown) =>
    log.warn({ err }, 'DATA_DIR/known cannot be written; this process cannot start without the database'),
  );
}

function openDatabases({ config, databaseUrl, metrics, log }: StartParts) {
  const sizes = webPoolSizes(config.webPoolSize);
  const name = applicationName('web', { rootSecrets: config.rootSecrets });
  const db = openDatabase(databaseUrl, { poolMax: sizes.others, applicationName: name });
  const lookups = openDatabase(databaseUrl, {
    poolMax: sizes.lookups,
    applicationName: name,
    keepsOne: true,
    // Behind a pooler, timeouts that are shorter than usual would stay on connections of others.
    serverTimeouts: false,
    ...lookupTimeouts,
  });
  const { databaseReplicaUrl: replicaUrl, replicaPoolSize: poolSize } = config;
  const replicas = replicaUrl ? monitorReplicas({ databaseUrl, replicaUrl, poolSize, log }) : undefined;
  addReplicaMetrics(metrics.registry, replicas?.list ?? []);
  const onError = throttle((err, times) =>
    log.warn({ err, times }, 'a replica failed; its reads were repeated on the primary'),
  );
  const recentChanges = createRecentChanges(db);
  const reads = replicas
    ? createReads({ db, replicas, recentChanges, served: metrics.reads, onError })
    : readPrimary(db);
  return {
    db,
    lookups,
    reads,
    replicas,
    async close() {
      await replicas?.close();
      await lookups.destroy();
      await db.destroy();
    },
  };
}

/** The HTTP server, whose handler can be replaced when the process is complete. */
function createDoor({ config, metrics, log, drainGraceMs }: StartParts) {
  let handle: RequestListener;
  let server: Promise<HttpServer> | undefined;
  const logFailed = throttle((err, times) => log.error({ err, times }, 'a request failed unexpectedly'));
  const onFailure = (err: unknown) => {
    metrics.uncaughtErrors.inc();
    logFailed(err);
  };
  return {
    onFailure,
    listen(given: RequestListener): Promise<HttpServer> {
      handle = given;
      server ??= openHttpServer((req, res) => handle(req, res), {
        port: config.port,
        host: config.host,
        idleGraceMs: drainGraceMs,
        limits: { keepAliveTimeout: config.keepAliveSeconds * 1_000, maxConnections: config.maxConnections },
        hsts: config.baseUrl.startsWith('https:'),
        onCut: (reason) => {
          metrics.connectionsCut[reason] += 1;
        },
        onFailure,
      });
      return server;
    },
  };
}

/** Everything but `/healthz` is a 503. */
const answerUnavailable: RequestListener = (req, res) => {
  const [path = ''] = (req.url ?? '').split('?');
  const sendJson = (status: number, body: object) =>
    void res
      .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
      .end(JSON.stringify(body));
  if (path.endsWith('/healthz')) return sendJson(200, { status: 'alive' });
  res.setHeader('Retry-After', '5');
  if (path.endsWith('/readyz'))
    return sendJson(503, { status: 'not ready', checks: { database: { ok: false } } });
  if (path.includes('/api/'))
    return sendJson(503, {
      error: 'internal_error',
      message: 'The service is starting. Try again in a moment.',
    });
  showPage(req, res, 503, (translation) => noticePage('unavailable', translation));
};
