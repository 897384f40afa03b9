import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import { type Database, openDatabase } from './database.ts';
import { serverNames, splitHosts } from './database-url.ts';
import { poolSizes } from './pool-sizes.ts';
import { createReplica, type Replica, type ReplicaState } from './replica.ts';
import { readServerPosition } from './server-position.ts';
import { createWalHistory } from './wal-history.ts';

const measureEveryMs = 500;
/** A server that does not respond for this long is not read from. */
const responseTimeoutMs = 1_000;
/** The statement is then repeated on the primary, which may take its own time. */
const readTimeoutMs = 5_000;
const acquireTimeoutMs = 2_000;

export interface Replicas {
  list: readonly Replica[];
  /** The same replica for the same key while it is usable, so that a reader's figures do not jump back and forth. */
  pick(key: string): Replica | undefined;
  /** While the primary is away: those that answer, however far they are behind. */
  reachable(): Replica[];
  close(): Promise<void>;
}

interface MonitorOptions {
  databaseUrl: string;
  /** Each host is a replica. */
  replicaUrl: string;
  poolSize: number;
  log: Log;
}

/**
 * Measures the lag of each replica twice a second, on connections of its own: those of the pools may all be busy. Reads
 * never wait for a measurement.
 */
export function monitorReplicas({ databaseUrl, replicaUrl, poolSize, log }: MonitorOptions): Replicas {
  const nowMs = () => performance.now();
  const openMonitor = (url: string) =>
    openDatabase(url, {
      poolMax: poolSizes.monitor,
      applicationName: 'qrelay replica monitor',
      queryTimeoutMs: responseTimeoutMs,
      connectTimeoutMs: responseTimeoutMs,
      serverTimeouts: false,
    });
  const history = createWalHistory();
  const primary = openMonitor(databaseUrl);
  const replicas = splitHosts(replicaUrl).map((url) => {
    const reads = {
      poolMax: poolSize,
      applicationName: 'qrelay web replica',
      queryTimeoutMs: readTimeoutMs,
      connectTimeoutMs: responseTimeoutMs,
      acquireTimeoutMs,
    };
    const replica = createReplica(serverNames(url), openDatabase(url, reads), nowMs);
    return { replica, monitor: openMonitor(url), isBusy: false, report: reportChanges(replica, log) };
  });
  let systemId: string | undefined;
  let timeline: string | null | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let measuring: Promise<void> | undefined;

  async function measurePrimary(): Promise<void> {
    const askedAtMs = nowMs();
    const found = await readServerPosition(primary);
    if (found.isStandby || found.position === null) return;
    if (timeline !== undefined && found.timeline !== timeline) {
      history.clear();
      for (const { replica } of replicas) replica.timelineChanged();
    }
    ({ systemId, timeline } = found);
    history.add(found.position, askedAtMs);
  }

  async function measure(one: (typeof replicas)[number]): Promise<void> {
    // The previous measurement hangs. It fails by itself.
    if (one.isBusy) return;
    one.isBusy = true;
    try {
      one.replica.measured(await readServerPosition(one.monitor), systemId, history);
      one.report();
    } catch (err) {
      if (isClosed) return;
      one.replica.failed();
      one.report(err);
    } finally {
      one.isBusy = false;
    }
  }

  async function run(): Promise<void> {
    const startedAt = nowMs();
    // Without the primary, nothing shows that a replica is current, and soon none is. Whether it answers is still measured.
    measuring ??= measurePrimary()
      .catch(() => undefined)
      .finally(() => {
        measuring = undefined;
      });
    await withTimeout(measureEveryMs, measuring).catch(() => undefined);
    if (isClosed) return;
    for (const one of replicas) void measure(one); // catches its errors
    timer = setTimeout(() => void run(), Math.max(0, measureEveryMs - (nowMs() - startedAt)));
    timer.unref();
  }
  void run();

  return {
    list: replicas.map(({ replica }) => replica),
    pick(key) {
      const usable = replicas.filter(({ replica }) => replica.state() === 'usable');
      return usable[hash(key) % usable.length]?.replica;
    },
    reachable: () => replicas.map(({ replica }) => replica).filter((replica) => replica.isReachable()),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const databases = replicas.flatMap(({ replica, monitor }) => [replica.db, monitor]);
      await Promise.all([primary, ...databases].map((db: Database) => db.destroy()));
    },
  };
}

/** Logs when a replica becomes usable or is no longer. A replica whose lag is close to the limit would fill the log. */
function reportChanges(replica: Replica, log: Log): (err?: unknown) => void {
  let reported: ReplicaState | undefined;
  const logUnused = throttle((err, times) =>
    log.warn(
      { err, times, replica: replica.name, state: replica.state(), lagMs: Math.round(replica.lagMs()) },
      'a replica is not used; reads go to the primary or to other replicas',
    ),
  );
  const logUsed = throttle(() => log.info({ replica: replica.name }, 'a replica is used for reads'));
  return (err) => {
    const state = replica.state();
    if (state === reported) return;
    reported = state;
    if (state === 'usable') logUsed(undefined);
    else logUnused(err);
  };
}

function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + character.charCodeAt(0)) >>> 0;
  return sum;
}
