import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { QueueDefinition } from './queue-definition.ts';
import { monitorWrites, type WriteMonitor } from './write-monitor.ts';

/** Well below the time after which a batch goes to the spool: the next queue needs some of it. */
const slowAfterMs = 20;
const probeEveryMs = 250;

interface SpreadOptions {
  queues: readonly QueueDefinition[];
  add(queue: QueueDefinition, data: unknown): Promise<unknown>;
  /** A small write to the queue that changes nothing. */
  write(queue: QueueDefinition): Promise<unknown>;
  isConnected(): boolean;
  onReadinessChange(isReady: boolean): void;
  onRoundTrip(ms: number): void;
  log: Log;
}

export interface SpreadWrites extends Omit<WriteMonitor, 'monitor'> {
  /** Resolves when one of the queues has the job. */
  add(data: unknown): Promise<unknown>;
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
export function spreadWrites({
  queues,
  add,
  write,
  isConnected,
  onReadinessChange,
  onRoundTrip,
  log,
}: SpreadOptions): SpreadWrites {
  const hasSeveral = queues.length > 1;
  const isReady = () => members.some(({ writes }) => writes.isReady());
  let reported: boolean | undefined;
  function reportChange(): void {
    if (isReady() === reported) return;
    reported = isReady();
    onReadinessChange(reported);
  }
  const members = queues.map(
    (queue): Member => ({
      queue,
      isSlow: false,
      writes: monitorWrites({
        write: () => write(queue),
        isConnected,
        onReadinessChange: reportChange,
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

  const addTo = ({ queue, writes }: Member, data: unknown) => writes.monitor(() => add(queue, data));

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

  function addToAny(data: unknown): Promise<unknown> {
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
        addTo(member, data).then(
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
    ? setInterval(() => members.filter(({ isSlow }) => isSlow).forEach(probe), probeEveryMs).unref()
    : undefined;

  const [only] = members;
  return {
    isReady,
    add: (data) => (only && !hasSeveral ? addTo(only, data) : addToAny(data)),
    async check() {
      await Promise.all(members.map(({ writes }) => writes.check()));
    },
    connectionChanged: () => members.forEach(({ writes }) => writes.connectionChanged()),
    stop() {
      clearInterval(probing);
      for (const { writes } of members) writes.stop();
    },
  };
}
