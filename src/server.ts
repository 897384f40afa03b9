import cluster from 'node:cluster';
import { type Config, loadConfig, requireDatabaseUrl } from './config.ts';
import { announceReady, endWith, runMain } from './lifecycle.ts';
import { keepRunning } from './supervisor.ts';
import { createLog } from './telemetry/log.ts';
import { openWebService } from './web-service.ts';

/** The web process: configuration → service → ready → drain. */
async function serve(config: Config): Promise<void> {
  const log = createLog('web', config.logLevel);
  const service = await openWebService({
    config,
    databaseUrl: requireDatabaseUrl(config),
    log,
    nowMs: Date.now,
  });
  log.info({ port: service.port }, 'listening');
  endWith(log, service.close);
  announceReady();
}

/** Several processes on one port, each restarted when it dies. */
async function serveWithMany(config: Config): Promise<void> {
  const log = createLog('web', config.logLevel);
  const workers = Array.from({ length: config.webConcurrency }, (_, index) =>
    keepRunning(`web ${index + 1}`, () => cluster.fork().process, log),
  );
  endWith(log, async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  });
  await Promise.all(workers.map((worker) => worker.ready));
  announceReady();
}

/** Node ends a cluster's process on the spot when the first one is killed; ours drain, as `endWith` has it. */
function drainWithoutPrimary(): void {
  const { worker } = cluster;
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true;
  });
}

runMain(async () => {
  const config = loadConfig(process.env);
  drainWithoutPrimary();
  await (cluster.isPrimary && config.webConcurrency > 1 ? serveWithMany(config) : serve(config));
});
