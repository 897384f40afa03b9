import { purgeFiles } from '../src/codes/files/stored-file.ts';
import { purgeQueue } from '../src/queue/purge-queue.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import { purgeDeletedCodes } from '../src/scans/purge-deleted-codes.ts';
import type { Database } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { purgeCodeDeliveries } from '../src/webhooks/purge-deliveries.ts';
import { runSteps, type StepOptions } from './run-steps.ts';

/** Shorter than the pause between two runs. What is left is purged by the next run. */
const maxRunMs = 8_000;

export interface PurgeHandlerOptions {
  db: Database;
  metrics: StepOptions['metrics'];
  log: Log;
}

export function createPurgeHandler({ db, metrics, log }: PurgeHandlerOptions): JobHandler<object> {
  return () => {
    const endsAt = performance.now() + maxRunMs;
    const isOver = () => performance.now() > endsAt;
    const purgeLog = (codeId: string) => purgeCodeDeliveries(db, codeId);
    const steps = {
      async codes() {
        const purged = await purgeDeletedCodes(db, isOver, purgeLog);
        if (purged.scans > 0 || purged.counters > 0) log.info(purged, 'purged scans of deleted codes');
      },
      async files() {
        const files = await purgeFiles(db, isOver);
        if (files > 0) log.info({ files }, 'purged deleted files');
      },
    };
    return runSteps(steps, { queue: purgeQueue.name, metrics, log });
  };
}
