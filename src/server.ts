import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { type Config, loadConfig, requireDatabaseUrl } from './config.ts';
import type { HttpServer } from './http/http-server.ts';
import { announceReady, onShutdown, runLogged, surviveUncaughtErrors } from './lifecycle.ts';
import { currentRelease } from './runtime/release.ts';
import { supervise } from './runtime/supervisor.ts';
import { aggregateMetrics, joinMetrics } from './telemetry/cluster-metrics.ts';
import {
  createLog,
  createRecentErrors,
  exitOnUncaughtException,
  type Log,
  logConsoleOutput,
  standardOutput,
} from './telemetry/log.ts';
import { openMetricsServer, type ReadMetrics } from './telemetry/metrics-server.ts';
import { addProcessMetrics } from './telemetry/process-metrics.ts';
import { createWebMetrics } from './telemetry/web-metrics.ts';
import { openWebService } from './web-service.ts';

function openLog(config: Config, errors = createRecentErrors()): Log {
  const log = createLog('web', config.logLevel, errors.watch(standardOutput()));
  logConsoleOutput(log);
  exitOnUncaughtException(log);
  log.info(currentRelease(config), 'starting');
  return log;
}

/** The web process: configuration → service → ready → drain. */
async function serve(config: Config): Promise<void> {
  const errors = createRecentErrors();
  const log = openLog(config, errors);
  const metrics = createWebMetrics(config.webConcurrency);
  addProcessMetrics(metrics.registry, currentRelease(config));
  const isClusterWorker = cluster.isWorker;
  const readMetrics = isClusterWorker ? joinMetrics(metrics.registry) : () => metrics.registry.metrics();
  const metricsServer = isClusterWorker ? undefined : await serveMetrics(config, readMetrics);
  const service = await openWebService({
    config,
    databaseUrl: requireDatabaseUrl(config),
    log,
    nowMs: Date.now,
    metrics,
    readMetrics,
    errors,
  });
  log.info({ port: service.port }, 'listening');
  onShutdown(log, async () => {
    await service.close();
    await metricsServer?.drain();
  });
  surviveUncaughtErrors(log, () => metrics.uncaughtErrors.inc());
  announceReady(config);
}

/** Several processes on one port, each restarted when it exits. */
async function serveCluster(config: Config): Promise<void> {
  const log = openLog(config);
  const metrics = aggregateMetrics();
  const metricsServer = await serveMetrics(config, metrics.read);
  const fork = () => {
    const worker = cluster.fork();
    metrics.watch(worker);
    return worker.process;
  };
  const workers = Array.from({ length: config.webConcurrency }, (_, index) =>
    supervise(`web ${index + 1}`, fork, log, { hangLimitMs: config.hangLimitSeconds * 1_000 }),
  );
  const stopAll = () => Promise.all(workers.map((worker) => worker.stop()));
  onShutdown(log, async () => {
    await stopAll();
    await metricsServer?.drain();
  });
  try {
    await Promise.all(workers.map((worker) => worker.ready));
  } catch (error) {
    await stopAll();
    throw error;
  }
  announceReady(config);
}

async function serveMetrics(
  { metricsPort, metricsHost, metricsToken }: Config,
  read: ReadMetrics,
): Promise<HttpServer | undefined> {
  if (metricsPort === undefined) return undefined;
  return openMetricsServer({
    port: metricsPort,
    variable: 'METRICS_PORT',
    host: metricsHost,
    token: metricsToken,
    read,
  });
}

/** Node exits a cluster worker at once when its primary is killed. Ours drain first: see `onShutdown`. */
function drainWithoutPrimary(): void {
  const { worker } = cluster;
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true;
  });
}

/**
 * V8 notes which code allocates objects that outlive a minor collection, and then puts all objects of that code directly into
 * the old generation. What requests allocate is short-lived, but under load V8 put most of it there, and major
 * collections, with pauses of tens of milliseconds, came every few seconds.
 */
function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

keepObjectsYoung();
runLogged('web', async () => {
  const config = loadConfig(process.env);
  drainWithoutPrimary();
  await (cluster.isPrimary && config.webConcurrency > 1 ? serveCluster(config) : serve(config));
});
