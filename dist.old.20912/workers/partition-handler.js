import { TryLaterError } from '../src/queue/queue-worker.js';
import { createPartitions } from '../src/scans/partitions.js';
import { dropExpiredPartitions } from '../src/scans/retention.js';
import { isDatabaseUnavailable } from '../src/store/database.js';
export function createPartitionHandler({ db, retentionMonths, metrics, log }) {
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
//# sourceMappingURL=partition-handler.js.map
