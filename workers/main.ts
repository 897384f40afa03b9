import { loadConfig, requireDatabaseUrl } from '../src/config.ts';
import { queuePlace } from '../src/queue/queue-connection.ts';
import { announceReady, onShutdown, runLogged } from '../src/lifecycle.ts';
import { currentRelease } from '../src/runtime/release.ts';
import {
  createLog,
  createRecentErrors,
  exitOnUncaughtException,
  logConsoleOutput,
  standardOutput,
} from '../src/telemetry/log.ts';
import { openMetricsServer } from '../src/telemetry/metrics-server.ts';
import { addProcessMetrics } from '../src/telemetry/process-metrics.ts';
import { createWorkerMetrics } from '../src/telemetry/worker-metrics.ts';
import { openWorkerService } from './worker-service.ts';

/** The worker process: configuration → service → ready → drain. */
runLogged('worker', async () => {
  const config = loadConfig(process.env);
  const errors = createRecentErrors();
  const log = createLog('worker', config.logLevel, errors.watch(standardOutput()));
  logConsoleOutput(log);
  exitOnUncaughtException(log);
  const release = currentRelease(config);
  log.info(release, 'starting');
  const metrics = createWorkerMetrics();
  addProcessMetrics(metrics.registry, release);
  const metricsServer = config.workerMetricsPort
    ? await openMetricsServer({
        port: config.workerMetricsPort,
        variable: 'WORKER_METRICS_PORT',
        host: config.metricsHost,
        token: config.metricsToken,
        read: () => metrics.registry.metrics(),
      })
    : undefined;
  const service = await openWorkerService(queuePlace(config, requireDatabaseUrl(config)), log, {
    metrics,
    config,
    errors,
  });
  log.info('working');
  announceReady(config);
  onShutdown(log, async () => {
    await service.close();
    await metricsServer?.drain();
  });
});
