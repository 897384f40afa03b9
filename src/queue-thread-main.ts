import { workerData } from 'node:worker_threads';
import { openQueueClient } from './queue/queue-client.ts';
import type { QueueDefinition } from './queue/queue-definition.ts';
import type { QueueRequest, QueueThreadData } from './queue/queue-thread.ts';
import { allQueues } from './queue/queues.ts';
import { packScans, type RawScan, type ScanJob } from './queue/scan-jobs.ts';
import type { JournalSettings } from './queue/scan-journal.ts';
import { scanQueue } from './queue/scan-queue.ts';
import { emitEvent, handleRequests, threadLog } from './runtime/inside-thread.ts';
import { poolSizes } from './store/pool-sizes.ts';

const { place, sealingKey, logLevel, journal: journalSettings } = workerData as QueueThreadData;
const log = threadLog('web', logLevel);
let changedAt = performance.now();
const client = openQueueClient({
  place,
  log,
  onReadinessChange(isReady) {
    changedAt = performance.now();
    emitEvent(isReady);
  },
  identifyScanJobs: journalSettings !== undefined,
});
const journal = journalSettings && (await openJournal(journalSettings));
emitEvent(client.isReady());

handleRequests<QueueRequest>(async (request) => {
  switch (request.type) {
    case 'enqueue':
      await addScans(packScans(JSON.parse(request.scans) as RawScan[], sealingKey));
      return undefined;
    case 'add': {
      const queue = queueNamed(request.queue);
      await (queue === scanQueue ? addScans(request.data as ScanJob) : client.add(queue, request.data));
      return undefined;
    }
    case 'checkWrites':
      return client.checkWrites();
    case 'pending':
      return client.pending(queueNamed(request.queue));
    case 'depths':
      return client.depths();
    case 'journal':
      return journal?.state();
    case 'close':
      await journal?.close();
      return client.close();
  }
});

async function addScans(job: ScanJob): Promise<void> {
  if (journal) await journal.keep(job, () => client.add(scanQueue, job));
  else await client.add(scanQueue, job);
}

/** Loaded only when it is used. */
async function openJournal(settings: JournalSettings) {
  const { openScanJournal } = await import('./queue/scan-journal.ts');
  const { openDatabase } = await import('./store/database.ts');
  const { findUnrecordedScans } = await import('./scans/unrecorded-scans.ts');
  const db = openDatabase(place.databaseUrl, {
    poolMax: poolSizes.web.journal,
    applicationName: 'qrelay journal',
  });
  const opened = await openScanJournal({
    settings,
    readyForMs: () => (client.isReady() ? performance.now() - changedAt : 0),
    hasJobs: client.hasScanJobs,
    findUnrecorded: (scans) => findUnrecordedScans(db, scans),
    add: (job) => client.add(scanQueue, job),
    log,
  });
  return {
    ...opened,
    async close() {
      await opened.close();
      await db.destroy();
    },
  };
}

function queueNamed(name: string): QueueDefinition {
  const queue = allQueues.find((definition) => definition.name === name);
  if (!queue) throw new Error(`There is no queue ${name}`);
  return queue;
}
