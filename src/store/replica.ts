import type { Database } from './database.ts';
import type { ServerPosition } from './server-position.ts';
import type { WalHistory } from './wal-history.ts';

/** A replica may be read while it lacks nothing that is older. */
export const maxLagMs = 2_000;

export const replicaStates = ['usable', 'lagging', 'unreachable', 'primary', 'foreign'] as const;
/** `primary`: it was promoted, or is listed as a replica by mistake. `foreign`: it belongs to another cluster. */
export type ReplicaState = (typeof replicaStates)[number];

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
