import { joinCalls } from '../runtime/once.ts';
import { withTimeout } from '../runtime/timeout.ts';
import type { Log } from '../telemetry/log.ts';
import type { ReplicaState } from '../telemetry/web-metrics.ts';
import { throttle } from '../telemetry/throttle.ts';
import { serverNames, splitHosts } from './database-url.ts';
import { type Database, openDatabase } from './database.ts';
import { poolSizes } from './pool-sizes.ts';

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

  const measurePrimaryOnce = joinCalls(measurePrimary);

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
    await withTimeout(measureEveryMs, measurePrimaryOnce()).catch(() => undefined);
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

/** A replica may be read while it lacks nothing that is older. */
export const maxLagMs = 2_000;

export interface Replica {
  /** Host, port and database. */
  readonly name: string;
  readonly db: Database;
  state(): ReplicaState;
  /** It answers, and is not known to belong to another cluster. It may be behind, or have become the primary. */
  isReachable(): boolean;
  lagMs(): number;
  /** Takes a measurement. `systemId` is that of the primary, once it was asked. */
  measured(found: ServerPosition, systemId: string | undefined, history: WalHistory): void;
  /** It does not respond: reads that are under way are given up, and none is sent until it was measured again. */
  failed(): void;
  /** Another server has become the primary. */
  timelineChanged(): void;
  /** Rejects, before `work` settles, when the replica fails. */
  read<Value>(work: (db: Database) => Promise<Value>): Promise<Value>;
}

export class ReplicaFailedError extends Error {
  override name = 'ReplicaFailedError';
}

/** What is known about one replica. Ages by itself: without measurements it is not usable for long. */
export function createReplica(name: string, db: Database, nowMs: () => number): Replica {
  let standing: 'standby' | 'unreachable' | 'primary' | 'foreign' = 'unreachable';
  const createdAt = nowMs();
  let currentAsOf: number | undefined;
  let isProven = true;
  let lastPosition: number | null = null;
  const giveUps = new Set<() => void>();
  const lagMs = () => nowMs() - (currentAsOf ?? createdAt);

  return {
    name,
    db,
    lagMs,
    state() {
      if (standing !== 'standby') return standing;
      return isProven && currentAsOf !== undefined && lagMs() < maxLagMs ? 'usable' : 'lagging';
    },
    isReachable: () => standing === 'standby' || standing === 'primary',
    measured({ isStandby, position, systemId: ownId }, systemId, history) {
      standing = ownId === (systemId ?? ownId) ? (isStandby ? 'standby' : 'primary') : 'foreign';
      if (standing !== 'standby' || position === null) return;
      if (position !== lastPosition && lastPosition !== null) isProven = true;
      lastPosition = position;
      const measuredAsOf = history.currentAsOf(position);
      if (measuredAsOf !== undefined) currentAsOf = Math.max(currentAsOf ?? measuredAsOf, measuredAsOf);
    },
    failed() {
      standing = 'unreachable';
      for (const giveUp of giveUps) giveUp();
    },
    timelineChanged() {
      // It may have WAL that the new primary lacks, and its position then proves nothing until it moves: a replica that
      // cannot follow the new primary stands still.
      isProven = false;
      lastPosition = null;
    },
    read: (work) =>
      new Promise((resolve, reject) => {
        const giveUp = () => reject(new ReplicaFailedError(`The replica ${name} does not respond`));
        giveUps.add(giveUp);
        work(db)
          .then(resolve, reject)
          .finally(() => giveUps.delete(giveUp));
      }),
  };
}

/** Positions in the WAL of the primary, and when it had them. */
interface WalHistory {
  /** `askedAtMs` is when the primary was asked: what it had committed by then is before `position`. */
  add(position: number, askedAtMs: number): void;
  /** The latest moment whose commits all lie before `position`. Undefined: older than what is kept. */
  currentAsOf(position: number): number | undefined;
  clear(): void;
}

/** Ten minutes at two entries a second. */
const defaultMaxEntries = 1_200;

/**
 * Compares positions, not timestamps: the time since the last replayed transaction grows while the primary is idle,
 * although the replica lacks nothing.
 */
export function createWalHistory(maxEntries = defaultMaxEntries): WalHistory {
  const entries: { position: number; askedAtMs: number }[] = [];
  return {
    add(position, askedAtMs) {
      const last = entries.at(-1);
      // Another server, which has lost the end of this WAL.
      if (last && position < last.position) entries.length = 0;
      if (last?.position === position) last.askedAtMs = askedAtMs;
      else entries.push({ position, askedAtMs });
      if (entries.length > maxEntries) entries.shift();
    },
    currentAsOf: (position) => entries.findLast((entry) => entry.position <= position)?.askedAtMs,
    clear() {
      entries.length = 0;
    },
  };
}

/** What the lag of a replica is computed from. Any role may read it. */
export interface ServerPosition {
  isStandby: boolean;
  /** In bytes: the WAL that a standby has replayed, or that a primary has flushed. Null on a standby that has replayed nothing. */
  position: number | null;
  /** Identifies the cluster: the same on a primary and its replicas, and on no other server. */
  systemId: string;
  /** Changes with each promotion. Null on a standby. */
  timeline: string | null;
}

const statement = `
  SELECT pg_is_in_recovery() AS "isStandby",
         pg_wal_lsn_diff(
           CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END, '0/0'
         )::bigint AS position,
         (SELECT system_identifier::text FROM pg_control_system()) AS "systemId",
         CASE WHEN pg_is_in_recovery() THEN NULL ELSE left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) END AS timeline`;

export async function readServerPosition(db: Database): Promise<ServerPosition> {
  const { rows } = (await db.raw(statement)) as { rows: [ServerPosition] };
  return rows[0];
}
