import { purgeOldWindows } from '../src/accounts/authenticate.ts';
import { purgeOneTimeSecrets } from '../src/accounts/one-time-secrets.ts';
import { loadSecrets } from '../src/accounts/secrets.ts';
import { purgeOldSessions } from '../src/accounts/sessions.ts';
import { openScanWorker, type QueuePlace } from '../src/queue/connection.ts';
import { readGeoDataDate } from '../src/scans/geo-data.ts';
import { openDatabase } from '../src/store/database.ts';
import { poolSizes } from '../src/store/pool-sizes.ts';
import type { Log } from '../src/telemetry/log.ts';
import { addPoolMetrics } from '../src/telemetry/process-metrics.ts';
import { addGeoMetrics, createWorkerMetrics } from '../src/telemetry/worker-metrics.ts';
import { createJobHandler } from './job-handler.ts';
import { createLookUps } from './lookups.ts';
import { createRecordingAudit } from './recording-audit.ts';

const housekeepingMs = 10 * 60_000;
const auditMs = 60_000;
/** A statement records one batch: one that takes longer waits for a server that is gone. */
const recordTimeoutMs = 6_000;
/** What holds a counter longer than this must not hold up the scans of other codes. */
const recordLockTimeoutMs = 1_000;

export interface WorkerService {
  /** Finishes the jobs under way and lets go of everything. */
  close(): Promise<void>;
}

/** All that a worker process does: takes scan jobs, enriches them, records them, and keeps house. */
export async function openWorkerService(
  place: QueuePlace,
  log: Log,
  metrics = createWorkerMetrics(),
): Promise<WorkerService> {
  const db = openDatabase(place.databaseUrl, {
    poolMax: poolSizes.worker.own,
    applicationName: 'qrelay worker',
    queryTimeoutMs: recordTimeoutMs,
    lockTimeoutMs: recordLockTimeoutMs,
  });
  addPoolMetrics(metrics.registry, db);
  const geoDataDate = readGeoDataDate();
  if (geoDataDate) addGeoMetrics(metrics.registry, geoDataDate, Date.now);
  const { sealingKey } = await loadSecrets(db);
  // Not the pool that records: what went wrong on a connection is not seen through it.
  const auditDb = openDatabase(place.databaseUrl, {
    poolMax: poolSizes.worker.audit,
    applicationName: 'qrelay audit',
  });
  const audit = createRecordingAudit(auditDb, metrics, log);
  const worker = openScanWorker(
    place,
    createJobHandler({ db, lookUps: createLookUps(), sealingKey, metrics, audit, log }),
    log,
  );
  const housekeeping = setInterval(() => {
    const now = new Date();
    Promise.all([purgeOldWindows(db), purgeOldSessions(db, now), purgeOneTimeSecrets(db, now)]).catch(
      (err: unknown) => log.warn({ err }, 'old rate windows and sessions were not cleared'),
    );
  }, housekeepingMs);
  const auditing = setInterval(() => {
    audit.check().catch((err: unknown) => log.warn({ err }, 'recorded scans could not be looked up'));
  }, auditMs);
  return {
    async close() {
      clearInterval(housekeeping);
      clearInterval(auditing);
      await worker.close();
      await auditDb.destroy();
      await db.destroy();
    },
  };
}
