import { loadConfig, requireDatabaseUrl } from '../src/config.ts';
import { announceReady, endWith, runMain } from '../src/lifecycle.ts';
import { createLog } from '../src/telemetry/log.ts';
import { openWorkerService } from './worker-service.ts';

/** The worker process: configuration → service → ready → drain. */
runMain(async () => {
  const config = loadConfig(process.env);
  const log = createLog('worker', config.logLevel);
  const service = await openWorkerService(
    { redisUrl: config.redisUrl, databaseUrl: requireDatabaseUrl(config) },
    log,
  );
  log.info('working');
  announceReady();
  endWith(log, service.close);
});
