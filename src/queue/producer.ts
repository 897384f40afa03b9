import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { createFallbackStorage, type ScanStorage } from './fallback-storage.ts';
import { countScans, packScans, type RawScan, type ScanJob } from './scan-jobs.ts';
import { scanQueue } from './scan-queue.ts';
import type { Spool } from './spool.ts';
import type { QueueClient } from './queue-client.ts';

const maxScansPerJob = 500;
/** Fewer scans than this wait for the batch in flight. */
const secondBatchMinScans = 20;
const replayEveryMs = 250;
const replayTimeoutMs = 3_000;
const adoptEveryMs = 30_000;
const checkDiskEveryMs = 10_000;
/** What is still in the spool after that is replayed at the next start. */
const finalReplayMs = 5_000;
/** A disk that hangs must not delay the end of the process for longer. */
const closeSpoolMs = 1_000;

type OnDurable = (storage: ScanStorage) => void;

export interface ScanProducer {
  /** Calls back when the scan is durable: in the queue or the spool (if neither takes it, in memory or counted as dropped). */
  enqueue(scan: RawScan, onDurable: OnDurable): void;
  /** Waits for the batches in flight, then replays the spool as far as time allows. */
  close(): Promise<void>;
}

interface ProducerOptions {
  queue: Pick<QueueClient, 'isReady' | 'add'>;
  spool: Spool;
  sealingKey: Buffer;
  metrics: WebMetrics;
  log: Log;
  /** How long the queue may take to acknowledge a batch before the batch goes to the spool. */
  deadlineMs: number;
}

/**
 * Batches without a timer: while a batch is in flight, new scans collect for the next one, which is sent as soon as the
 * first is durable or the next has grown enough. Idle, a scan waits for one round trip; under load, batches grow.
 *
 *   up:   batch → queue ── acknowledged before the deadline → redirects are sent
 *                   └── late or refused → spool → redirects are sent; down
 *   down: batch → spool → redirects are sent; meanwhile the spool is replayed into the queue
 *                   │                             └── accepted → up; the rest of the spool follows in the background
 *                   └── the disk fails or hangs → memory, up to a limit → redirects are sent; both are retried
 *
 * A late batch may be in the queue and in the spool: its scans keep their ids, and count once.
 */
export function createProducer({
  queue,
  spool,
  sealingKey,
  metrics,
  log,
  deadlineMs,
}: ProducerOptions): ScanProducer {
  let scans: RawScan[] = [];
  let callbacks: OnDurable[] = [];
  let inFlight = 0;
  let scansInFlight = 0;
  let down = false;
  let replayUntil = Number.POSITIVE_INFINITY;
  let onIdle: (() => void) | undefined;

  const logLate = throttle((err, count) =>
    log.warn({ err, scans: count }, 'the queue did not accept a batch in time; it goes to the spool'),
  );
  // Reads the state when the line is written, so that the last line is up to date.
  const logStateChange = throttle((_, changes) =>
    log.warn(
      { changes },
      down ? 'the queue is slow or down: scans go to the spool' : 'the queue is back: replaying the spool',
    ),
  );
  const logDiskError = throttle((err) =>
    log.error(
      { err },
      'DATA_DIR cannot be written to; scans would be lost while the queue is down: free disk space or fix the permissions',
    ),
  );
  const fallback = createFallbackStorage({ spool, metrics, log });

  const logNotStored = throttle((err, count) =>
    log.error({ err, scans: count }, 'scans were dropped: an error in the code that stores them'),
  );
  const logCallbackError = throttle((err, count) =>
    log.error({ err, times: count }, 'the response to a scan could not be sent'),
  );

  /** A callback that throws must not hold up the other scans of its batch. */
  function callBack(onDurable: OnDurable, storage: ScanStorage): void {
    try {
      onDurable(storage);
    } catch (err) {
      metrics.uncaughtErrors.inc();
      logCallbackError(err);
    }
  }

  /**
   * A second batch follows when it is as large as the one in flight: half of the redirects are then being written while the
   * other half waits for the queue, however many there are. Earlier, batches would stay small, which costs the worker more;
   * later, this process would be idle during each round trip.
   */
  const isBatchDue = () =>
    inFlight === 0
      ? scans.length > 0
      : inFlight === 1 && scans.length >= Math.max(secondBatchMinScans, scansInFlight);

  function sendBatch(): void {
    inFlight += 1;
    const batch = scans.length > maxScansPerJob ? scans.splice(0, maxScansPerJob) : scans;
    const batchCallbacks =
      callbacks.length > maxScansPerJob ? callbacks.splice(0, maxScansPerJob) : callbacks;
    if (batch === scans) {
      scans = [];
      callbacks = [];
    }
    scansInFlight += batch.length;
    metrics.shareAnswers.counted += batch.length;
    metrics.batchScans.observe(batch.length);
    void store(batch)
      .catch((err: unknown) => dropBatch(batch, err))
      .then((storage) => endBatch(batch, batchCallbacks, storage));
  }

  function endBatch(batch: RawScan[], batchCallbacks: OnDurable[], storage: ScanStorage): void {
    inFlight -= 1;
    scansInFlight -= batch.length;
    // The next batch first: it travels while these redirects are written.
    if (isBatchDue()) sendBatch();
    for (const callback of batchCallbacks) callBack(callback, storage);
    if (inFlight === 0) onIdle?.();
  }

  async function store(batch: RawScan[]): Promise<ScanStorage> {
    const job = packScans(batch, sealingKey);
    if (!down && queue.isReady()) {
      try {
        await withTimeout(deadlineMs, queue.add(scanQueue, job));
        metrics.scansQueued.inc(batch.length);
        return 'queue';
      } catch (err) {
        logLate(err, batch.length);
      }
    }
    setDown();
    replaySoon();
    return fallback.save(job);
  }

  /** Only if there is a mistake in the code: its slot must be free again, and its redirects sent. */
  function dropBatch(batch: RawScan[], err: unknown): ScanStorage {
    metrics.scansDropped.inc(batch.length);
    logNotStored(err, batch.length);
    return 'dropped';
  }

  function setDown(isDown = true): void {
    if (down === isDown) return;
    down = isDown;
    logStateChange(undefined);
  }

  const addFromStorage = async (job: ScanJob) => {
    if (performance.now() > replayUntil) throw new Error('the rest stays in the spool');
    await withTimeout(replayTimeoutMs, queue.add(scanQueue, job));
    setDown(false);
  };

  /** Moves what memory holds to the queue, or else to the disk. Rejects if neither takes it. */
  async function flushMemory(): Promise<void> {
    if (!queue.isReady()) return fallback.flush();
    await fallback.flush(addFromStorage);
    // There is nothing to replay that would show whether the queue is up: the next batch tries it.
    if (spool.isEmpty()) setDown(false);
  }

  async function replaySpool(): Promise<void> {
    if (!queue.isReady()) return;
    await spool.replay(async (job) => {
      await addFromStorage(job);
      metrics.scansReplayed.inc(countScans(job));
    });
  }

  /** On a disk that hangs, work does not end: it is not begun again, and holds up no other. */
  function inBackground(work: () => Promise<void>): () => void {
    let isRunning = false;
    return () => {
      if (isRunning) return;
      isRunning = true;
      work()
        .catch((err: unknown) => log.debug({ err }, 'the spool could not be replayed yet'))
        .finally(() => (isRunning = false));
    };
  }
  const replayInBackground = inBackground(replaySpool);
  const flushInBackground = inBackground(async () => {
    await flushMemory();
    if (!spool.isEmpty()) replayInBackground();
  });
  const adoptInBackground = inBackground(async () => {
    await spool.adopt();
    if (!spool.isEmpty()) replaySoon();
  });
  let replayTimer: NodeJS.Timeout | undefined;
  /** Again and again, until the queue has everything. */
  function replaySoon(): void {
    replayTimer ??= setTimeout(() => {
      replayTimer = undefined;
      if (!down && spool.isEmpty() && fallback.isEmpty()) return;
      flushInBackground();
      replaySoon();
    }, replayEveryMs).unref();
  }
  const adoptTimer = setInterval(adoptInBackground, adoptEveryMs).unref();
  const diskTimer = setInterval(
    () => void spool.checkWritable().catch(logDiskError),
    checkDiskEveryMs,
  ).unref();
  adoptInBackground();

  return {
    enqueue(scan, onDurable) {
      scans.push(scan);
      callbacks.push(onDurable);
      if (isBatchDue()) sendBatch();
    },
    async close() {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        if (inFlight === 0) resolve();
      });
      clearTimeout(replayTimer);
      clearInterval(adoptTimer);
      clearInterval(diskTimer);
      replayUntil = performance.now() + finalReplayMs;
      await flushMemory()
        .then(() => withTimeout(finalReplayMs, replaySpool()))
        .catch(() => undefined);
      if (!fallback.isEmpty()) await fallback.flush().catch(() => undefined);
      fallback.close();
      await withTimeout(closeSpoolMs, spool.close()).catch(() => undefined);
    },
  };
}
