import { joinCalls } from '../runtime/once.ts';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { QueueDefinition } from './queue-definition.ts';

/** Well below the time after which a batch goes to the spool: the next queue needs some of it. */
const defaultSlowAfterMs = 20;
const probeSlowEveryMs = 250;
const checkEveryMs = 1_000;
const writeTimeoutMs = 3_000;

interface ScanWritesOptions {
  queues: readonly QueueDefinition[];
  add(queue: QueueDefinition, job: unknown): Promise<unknown>;
  /** A small write to the queue that changes nothing. */
  write(queue: QueueDefinition): Promise<unknown>;
  isConnected(): boolean;
  /** Called with the time that a write took until it was acknowledged. */
  onRoundTrip(ms: number): void;
  log: Log;
  /** A queue that has not acknowledged a job for this long is slow, and the job goes to another one as well. */
  slowAfterMs?: number | undefined;
}

export interface ScanWrites {
  /** Resolves when one of the queues has the job. */
  add(job: unknown): Promise<unknown>;
  /** Whether any queue takes writes. */
  isReady(): boolean;
  /** For how long one has; 0 if none does. */
  readyForMs(): number;
  /** Rejects with the reason when a queue takes no writes now. */
  check(): Promise<void>;
  /** To be called when the connection opens or closes. */
  connectionChanged(): void;
  stop(): void;
}

interface Member {
  queue: QueueDefinition;
  writes: WriteMonitor;
  isSlow: boolean;
}

/**
 * Adds each job to one of several queues, in turn. A queue that rejects a job or takes too long is avoided until a small
 * write succeeds in time, and the job goes to the next one as well: it may be in both, and its scans count once.
 */
export function createScanWrites({
  queues,
  add,
  write,
  isConnected,
  onRoundTrip,
  log,
  slowAfterMs = defaultSlowAfterMs,
}: ScanWritesOptions): ScanWrites {
  const hasSeveral = queues.length > 1;
  const isReady = () => members.some(({ writes }) => writes.isReady());
  let wasReady = false;
  let changedAt = performance.now();
  function noteReadiness(): void {
    if (isReady() === wasReady) return;
    wasReady = !wasReady;
    changedAt = performance.now();
  }
  const members = queues.map(
    (queue): Member => ({
      queue,
      isSlow: false,
      writes: monitorWrites({
        write: () => write(queue),
        isConnected,
        onOutcome: noteReadiness,
        onRoundTrip,
        log: hasSeveral ? log.child({ queue: queue.name }) : log,
        consequence: hasSeveral ? 'scans go to the other queues' : 'scans go to the spool',
      }),
    }),
  );
  let next = Math.floor(Math.random() * members.length);

  const logSlow = throttle((names, times) =>
    log.warn({ queue: names, times }, 'a queue is slow: scans go to the other queues until it is not'),
  );

  const addTo = ({ queue, writes }: Member, job: unknown) => writes.monitor(() => add(queue, job));

  /** The next queue whose turn it is: one that is fast, else one that is only slow. */
  function choose(tried: Set<Member>, mayBeSlow: boolean): Member | undefined {
    for (const slow of mayBeSlow ? [false, true] : [false]) {
      for (let step = 0; step < members.length; step += 1) {
        const member = members[(next + step) % members.length] as Member;
        if (member.isSlow !== slow || tried.has(member) || !member.writes.isReady()) continue;
        next = (next + step + 1) % members.length;
        return member;
      }
    }
    return undefined;
  }

  function addToAny(job: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const tried = new Set<Member>();
      let waiting = 0;
      let isDone = false;

      function start(member: Member): void {
        tried.add(member);
        waiting += 1;
        let isAnswered = false;
        const timer = setTimeout(() => {
          // An answer that arrived while our own event loop was busy is handled first.
          setImmediate(() => {
            if (isAnswered) return;
            member.isSlow = true;
            logSlow(member.queue.name);
            // Never to a slow one: when all are, one more copy of every job would make it worse.
            const other = isDone ? undefined : choose(tried, false);
            if (other) start(other);
          });
        }, slowAfterMs);
        addTo(member, job).then(
          (value) => {
            isAnswered = true;
            isDone = true;
            clearTimeout(timer);
            resolve(value);
          },
          (error: unknown) => {
            isAnswered = true;
            clearTimeout(timer);
            waiting -= 1;
            const other = isDone || waiting > 0 ? undefined : choose(tried, true);
            if (other) start(other);
            else if (waiting === 0) reject(error);
          },
        );
      }

      const first = choose(tried, true);
      if (first) start(first);
      else reject(new Error('No queue takes writes'));
    });
  }

  function probe(member: Member): void {
    const startedAt = performance.now();
    member.writes.check().then(
      () => {
        if (performance.now() - startedAt < slowAfterMs) member.isSlow = false;
      },
      () => undefined,
    );
  }
  const probing = hasSeveral
    ? setInterval(() => members.filter(({ isSlow }) => isSlow).forEach(probe), probeSlowEveryMs).unref()
    : undefined;

  const [only] = members;
  return {
    add: (job) => (only && !hasSeveral ? addTo(only, job) : addToAny(job)),
    isReady,
    readyForMs: () => (isReady() ? performance.now() - changedAt : 0),
    async check() {
      await Promise.all(members.map(({ writes }) => writes.check()));
    },
    connectionChanged() {
      noteReadiness();
      if (isConnected()) for (const { writes } of members) void writes.check().catch(() => undefined);
    },
    stop() {
      clearInterval(probing);
      for (const { writes } of members) writes.stop();
    },
  };
}

interface WriteMonitorOptions {
  write(): Promise<unknown>;
  isConnected(): boolean;
  /** Called after each write. */
  onOutcome(): void;
  onRoundTrip(ms: number): void;
  log: Log;
  /** What happens while the queue takes no writes. */
  consequence: string;
}

interface WriteMonitor {
  /** Connected, and the last write succeeded. */
  isReady(): boolean;
  /** Runs a write and remembers its outcome. */
  monitor<Value>(write: () => Promise<Value>): Promise<Value>;
  /** Rejects with the reason when the queue takes no writes now. */
  check(): Promise<void>;
  stop(): void;
}

/**
 * Whether a queue takes writes. A server that responds may still refuse every job: a replica, one that is out of
 * memory, or one where the user lacks permission.
 */
export function monitorWrites({
  write,
  isConnected,
  onOutcome,
  onRoundTrip,
  log,
  consequence,
}: WriteMonitorOptions): WriteMonitor {
  let writeError: unknown;
  let wroteAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const logRefused = throttle((err, times) =>
    log.warn({ err, times }, `the queue takes no writes: ${consequence} until it does`),
  );

  async function monitor<Value>(work: () => Promise<Value>): Promise<Value> {
    const startedAt = performance.now();
    try {
      const value = await work();
      writeError = undefined;
      wroteAt = performance.now();
      onRoundTrip(wroteAt - startedAt);
      return value;
    } catch (error) {
      // One that began before the last success says nothing about the queue now: it may have waited out an outage.
      if (startedAt >= wroteAt) writeError = error;
      // A closed connection is logged elsewhere.
      if (isConnected()) logRefused(error);
      throw error;
    } finally {
      onOutcome();
      checkSoon();
    }
  }

  const checkNow = joinCalls(() => monitor(() => withTimeout(writeTimeoutMs, write())));
  async function check(): Promise<void> {
    if (!isConnected()) throw new Error('The queue is not connected');
    await checkNow();
  }

  /** Only after a refusal: otherwise the next job shows whether the queue takes writes. */
  let timer: NodeJS.Timeout | undefined;
  function checkSoon(): void {
    if (isStopped || timer || writeError === undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void check()
        .catch(() => undefined)
        .finally(checkSoon);
    }, checkEveryMs).unref();
  }
  return {
    isReady: () => writeError === undefined && isConnected(),
    monitor,
    check,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
