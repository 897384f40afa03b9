import { purgeOldWindows } from '../src/accounts/authenticate.ts';
import { purgeOneTimeSecrets } from '../src/accounts/one-time-secrets.ts';
import { loadSecrets } from '../src/accounts/secrets.ts';
import { purgeOldSessions } from '../src/accounts/sessions.ts';
import { loadConfig } from '../src/config.ts';
import { logConnectionCounts } from '../src/queue/connection-counts.ts';
import type { QueuePlace } from '../src/queue/queue-connection.ts';
import type { QueueDefinition } from '../src/queue/queue-definition.ts';
import { type JobHandler, openQueueWorker } from '../src/queue/queue-worker.ts';
import { queues } from '../src/queue/queues.ts';
import { readGeoDataDate } from '../src/scans/geo-data.ts';
import { openDatabase } from '../src/store/database.ts';
import { poolSizes } from '../src/store/pool-sizes.ts';
import type { Log } from '../src/telemetry/log.ts';
import { addPoolMetrics } from '../src/telemetry/process-metrics.ts';
import { addGeoMetrics, createWorkerMetrics } from '../src/telemetry/worker-metrics.ts';
import { createHandlers } from './handlers.ts';
import { createRecordingAudit } from './recording-audit.ts';

const housekeepingMs = 10 * 60_000;
const auditMs = 60_000;
/** A statement records one batch: if it takes longer, the server does not respond. */
const recordTimeoutMs = 6_000;
/** A locked counter must not delay the scans of other codes for longer. */
const recordLockTimeoutMs = 1_000;

export interface WorkerService {
  /** Finishes the jobs that are running, and closes every connection. */
  close(): Promise<void>;
}

/** The worker process: a worker for each queue, the recording audit and housekeeping. */
export async function openWorkerService(
  place: QueuePlace,
  log: Log,
  metrics = createWorkerMetrics(),
  config = loadConfig({}),
): Promise<WorkerService> {
  const db = openDatabase(place.databaseUrl, {
    poolMax: config.workerPoolSize,
    applicationName: 'qrelay worker',
    queryTimeoutMs: recordTimeoutMs,
    lockTimeoutMs: recordLockTimeoutMs,
  });
  addPoolMetrics(metrics.registry, db);
  const geoDataDate = readGeoDataDate();
  if (geoDataDate) addGeoMetrics(metrics.registry, geoDataDate, Date.now);
  const { sealingKey } = await loadSecrets(db);
  await logConnectionCounts('worker', { ...config, redisUrl: place.redisUrl }, db, log);
  // Not the pool that records: an error of a connection cannot be seen through that connection.
  const auditDb = openDatabase(place.databaseUrl, {
    poolMax: poolSizes.worker.audit,
    applicationName: 'qrelay audit',
  });
  const audit = createRecordingAudit(auditDb, metrics, log);
  const handlers: Record<string, JobHandler<never>> = createHandlers({ db, sealingKey, metrics, audit, log });
  const workers = Object.entries<QueueDefinition>(queues).map(([name, queue]) =>
    openQueueWorker(place, queue, handlers[name] as JobHandler<unknown>, log),
  );
  const housekeeping = setInterval(() => {
    const now = new Date();
    Promise.all([purgeOldWindows(db), purgeOldSessions(db, now), purgeOneTimeSecrets(db, now)]).catch(
      (err: unknown) => log.warn({ err }, 'old rate limit windows and sessions could not be purged'),
    );
  }, housekeepingMs);
  const auditing = setInterval(() => {
    audit.check().catch((err: unknown) => log.warn({ err }, 'the recording audit could not read scans'));
  }, auditMs);
  return {
    async close() {
      clearInterval(housekeeping);
      clearInterval(auditing);
      await Promise.all(workers.map((worker) => worker.close()));
      await auditDb.destroy();
      await db.destroy();
    },
  };
}
