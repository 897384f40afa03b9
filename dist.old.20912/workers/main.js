import { loadConfig, requireDatabaseUrl } from '../src/config.js';
import { queuePlace } from '../src/queue/queue-place.js';
import { announceReady, onShutdown, runMain } from '../src/runtime/lifecycle.js';
import { currentRelease } from '../src/runtime/release.js';
import { createLog } from '../src/telemetry/log.js';
import { openMetricsServer } from '../src/telemetry/metrics-server.js';
import { addProcessMetrics } from '../src/telemetry/process-metrics.js';
import { logConsoleOutput, exitOnUncaughtException } from '../src/telemetry/console-output.js';
import { createWorkerMetrics } from '../src/telemetry/worker-metrics.js';
import { openWorkerService } from './worker-service.js';
/** The worker process: configuration → service → ready → drain. */
runMain(async () => {
  const config = loadConfig(process.env);
  const log = createLog('worker', config.logLevel);
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
        host: config.host,
        token: config.metricsToken,
        read: () => metrics.registry.metrics(),
      })
    : undefined;
  const service = await openWorkerService(queuePlace(config, requireDatabaseUrl(config)), log, {
    metrics,
    config,
  });
  log.info('working');
  announceReady(config);
  onShutdown(log, async () => {
    await service.close();
    await metricsServer?.drain();
  });
});
//# sourceMappingURL=main.js.map
