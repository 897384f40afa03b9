import { type JobHandler, TryLaterError } from '../src/queue/queue-worker.ts';
import { createPartitions } from '../src/scans/partitions.ts';
import { dropExpiredPartitions } from '../src/scans/retention.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { WorkerMetrics } from '../src/telemetry/worker-metrics.ts';

export interface PartitionHandlerOptions {
  db: Database;
  /** Undefined: raw scans are kept forever. */
  retentionMonths: number | undefined;
  metrics: Pick<WorkerMetrics, 'partitionsEnd'>;
  log: Log;
}

export function createPartitionHandler({
  db,
  retentionMonths,
  metrics,
  log,
}: PartitionHandlerOptions): JobHandler<object> {
  return async () => {
    const now = new Date();
    try {
      metrics.partitionsEnd.set((await createPartitions(db, now)).getTime() / 1000);
      if (retentionMonths === undefined) return;
      const dropped = await dropExpiredPartitions(db, retentionMonths, now);
      if (dropped.length > 0) log.info({ dropped }, 'dropped scans that were past their retention');
    } catch (cause) {
      if (isDatabaseUnavailable(cause))
        throw new TryLaterError('the partitions were not maintained', { cause });
      throw cause;
    }
  };
}
