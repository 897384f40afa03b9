import { loadSecrets } from '../src/accounts/secrets.js';
import { loadConfig } from '../src/config.js';
import { logConnectionCounts } from '../src/queue/connection-counts.js';
import { openQueueWorkers } from '../src/queue/queue-workers.js';
import { queues } from '../src/queue/queues.js';
import { readGeoDataDate } from '../src/scans/geo-data.js';
import { openDatabase } from '../src/store/database.js';
import { poolSizes } from '../src/store/pool-sizes.js';
import { addPoolMetrics } from '../src/telemetry/process-metrics.js';
import { addGeoMetrics, createWorkerMetrics } from '../src/telemetry/worker-metrics.js';
import { createHandlers } from './handlers.js';
import { createRecordingAudit } from './recording-audit.js';
const auditMs = 60_000;
/** A statement records one batch: if it takes longer, the server does not respond. */
const recordTimeoutMs = 6_000;
/** A locked counter must not delay the scans of other codes for longer. */
const recordLockTimeoutMs = 1_000;
/** The worker process: a worker for each queue, and the recording audit. */
export async function openWorkerService(
  place,
  log,
  { metrics = createWorkerMetrics(), config = loadConfig({}) } = {},
) {
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
  const handlers = createHandlers({
    db,
    sealingKey,
    retentionMonths: config.scanRetentionMonths,
    metrics,
    audit,
    log,
  });
  const workers = Object.entries(queues).map(([name, queue]) =>
    openQueueWorkers(place, queue, handlers[name], log, metrics.countJobs(queue.name)),
  );
  // Partitions must not depend on the schedule alone: a queue may be paused, or have lost it.
  handlers.partitions({}).catch((err) => log.warn({ err }, 'the partitions of scans were not checked'));
  const auditing = setInterval(() => {
    audit.check().catch((err) => log.warn({ err }, 'the recording audit could not read scans'));
  }, auditMs);
  return {
    async close() {
      clearInterval(auditing);
      await Promise.all(workers.map((worker) => worker.close()));
      await auditDb.destroy();
      await db.destroy();
    },
  };
}
//# sourceMappingURL=worker-service.js.map
