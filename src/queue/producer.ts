import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { createKeeper } from './keeper.ts';
import type { ScanRecorder } from './queue-thread.ts';
import { packScans, type RawScan, type ScanJob } from './scan-jobs.ts';
import type { Spool } from './spool.ts';

const mostScansPerJob = 500;
/** With this many gathered, a second batch leaves while the first is on its way: the lane need not stand still for it. */
const worthASecondJob = 20;
const replayPauseMs = 250;
const replayDeadlineMs = 3_000;
const adoptPauseMs = 30_000;
const checkDiskPauseMs = 10_000;
/** What is still in the spool after that is replayed at the next start. */
const lastReplayMs = 5_000;

export interface ScanProducer {
  /** Calls back when the scan is durable: in the queue or in the spool (or, if neither takes it, in memory or counted as dropped). */
  record(scan: RawScan, recorded: () => void): void;
  /** Hands over what is held. What is still in the spool is replayed at the next start. */
  close(): Promise<void>;
}

interface ProducerParts {
  queue: ScanRecorder;
  spool: Spool;
  sealingKey: Buffer;
  metrics: WebMetrics;
  log: Log;
  /** How long a batch may take into the queue before it goes to the spool. */
  deadlineMs: number;
}

/**
 * Batches that clock themselves: while one is on its way the scans that arrive gather for the next, which leaves as soon
 * as the last is safe, or when it has grown enough to follow it. Idle, a scan waits one round trip; under load, batches
 * grow by themselves.
 *
 *   up:   batch → queue ── acknowledged within the deadline → redirects leave
 *                   └── late or refused → spool → redirects leave; down
 *   down: batch → spool → redirects leave; meanwhile the spool is tried on the queue
 *                   │                             └── taken → up; the rest of the spool follows in the background
 *                   └── the disk refuses → memory, up to a limit → redirects leave; tried on both again
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
}: ProducerParts): ScanProducer {
  let scans: RawScan[] = [];
  let waiting: (() => void)[] = [];
  let onTheWay = 0;
  let down = false;
  let replayUntil = Number.POSITIVE_INFINITY;
  let idle: (() => void) | undefined;

  const tellLate = throttle((err, count) =>
    log.warn({ err, scans: count }, 'the queue did not take a batch in time: spooling'),
  );
  // Told when it is due, so that the last line says how it is now.
  const tellChange = throttle((_, changes) =>
    log.warn(
      { changes },
      down
        ? 'the queue is slow or down: scans go to the spool'
        : 'the queue is back: the spool is handed over',
    ),
  );
  const tellDisk = throttle((err) =>
    log.error(
      { err },
      'DATA_DIR cannot be written, and scans would be lost while the queue is down: give it room, or the right to write there',
    ),
  );
  const keeper = createKeeper({ spool, metrics, log });

  const tellFailed = throttle((err, count) =>
    log.error({ err, times: count }, 'the answer to a scan could not be sent'),
  );

  /** One that throws must not keep the others of its batch. */
  function letGo(leave: () => void): void {
    try {
      leave();
    } catch (err) {
      metrics.uncaughtErrors.inc();
      tellFailed(err);
    }
  }

  const isDue = () => (onTheWay === 0 ? scans.length > 0 : onTheWay === 1 && scans.length >= worthASecondJob);

  function send(): void {
    onTheWay += 1;
    const batch = scans.length > mostScansPerJob ? scans.splice(0, mostScansPerJob) : scans;
    const leaving = waiting.length > mostScansPerJob ? waiting.splice(0, mostScansPerJob) : waiting;
    if (batch === scans) {
      scans = [];
      waiting = [];
    }
    metrics.shareAnswers.counted += batch.length;
    metrics.batchScans.observe(batch.length);
    const safe = () => {
      onTheWay -= 1;
      // The next batch first: it is on its way while these redirects are written.
      if (isDue()) send();
      for (const leave of leaving) letGo(leave);
      if (onTheWay === 0) idle?.();
    };
    if (down || !queue.isReady()) {
      setDown();
      void keeper.keep(packScans(batch, sealingKey)).then(safe);
      return;
    }
    const queued = () => {
      metrics.scansQueued.inc(batch.length);
      safe();
    };
    withTimeout(deadlineMs, queue.record(batch)).then(queued, (err: unknown) => {
      tellLate(err, batch.length);
      setDown();
      void keeper.keep(packScans(batch, sealingKey)).then(safe);
    });
  }

  function setDown(isDown = true): void {
    if (down === isDown) return;
    down = isDown;
    tellChange(undefined);
  }

  async function replay(): Promise<void> {
    if (!queue.isReady()) return keeper.retry();
    const add = async (job: ScanJob) => {
      if (performance.now() > replayUntil) throw new Error('the rest stays in the spool');
      await withTimeout(replayDeadlineMs, queue.add(job));
      setDown(false);
    };
    await keeper.retry(add);
    // Everything of the outage was dropped, or there was nothing to keep: the next batch finds out.
    if (spool.isEmpty()) setDown(false);
    await spool.replay(async (job) => {
      await add(job);
      metrics.scansReplayed.inc(job.scans.length);
    });
  }

  async function adopt(): Promise<void> {
    await spool.adopt();
    if (!spool.isEmpty()) await replay();
  }

  const quietly = (work: () => Promise<void>) => () => {
    work().catch((err: unknown) => log.debug({ err }, 'the spool could not be handed over yet'));
  };
  const replaying = setInterval(
    () => (down || !spool.isEmpty() || !keeper.isEmpty() ? quietly(replay)() : undefined),
    replayPauseMs,
  ).unref();
  const adopting = setInterval(quietly(adopt), adoptPauseMs).unref();
  const checkingDisk = setInterval(
    () => void spool.checkWritable().catch(tellDisk),
    checkDiskPauseMs,
  ).unref();
  quietly(adopt)();

  return {
    record(scan, recorded) {
      scans.push(scan);
      waiting.push(recorded);
      if (isDue()) send();
    },
    async close() {
      await new Promise<void>((resolve) => {
        idle = resolve;
        if (onTheWay === 0) resolve();
      });
      clearInterval(replaying);
      clearInterval(adopting);
      clearInterval(checkingDisk);
      replayUntil = performance.now() + lastReplayMs;
      await replay().catch(() => undefined);
      if (!keeper.isEmpty()) await keeper.retry().catch(() => undefined);
      keeper.close();
      await spool.close();
    },
  };
}
