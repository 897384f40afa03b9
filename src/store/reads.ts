import { AppError } from '../errors.ts';
import type { ReadServer } from '../telemetry/web-metrics.ts';
import { type Database, isServerLost } from './database.ts';
import type { Replicas } from './replicas.ts';

type Read<Value> = (db: Database) => Promise<Value>;

/**
 * Statements that may be answered by a replica that is up to 2 s behind. `work` is repeated on the primary if the replica
 * fails, so it must only read. Everything else uses the primary itself: authentication, limits, single codes, and redirects
 * while it answers.
 */
export interface Reads {
  /** Scans and their counters, which arrive through the queue and are late by nature. */
  scans<Value>(codeId: string, work: Read<Value>): Promise<Value>;
  /** Lists of codes. An owner reads their own writes. */
  codes<Value>(ownerId: string, work: Read<Value>): Promise<Value>;
  /** To be awaited before a change of the owner's codes is acknowledged. */
  codesChanged(ownerId: string): Promise<void>;
}

/** Remembers, for all web processes, whose codes have just changed. */
export interface RecentChanges {
  mark(ownerId: string): Promise<void>;
  /** Whether a replica may lack a change of this owner. */
  has(ownerId: string): Promise<boolean>;
}

interface ReadsOptions {
  db: Database;
  replicas: Replicas;
  recentChanges: RecentChanges;
  served: Record<ReadServer, number>;
  onError(error: unknown): void;
}

/** Without replicas. */
export function readPrimary(db: Database): Reads {
  return { scans: (_, work) => work(db), codes: (_, work) => work(db), codesChanged: async () => undefined };
}

export function createReads({ db, replicas, recentChanges, served, onError }: ReadsOptions): Reads {
  async function read<Value>(key: string, work: Read<Value>): Promise<Value> {
    const replica = replicas.pick(key);
    if (!replica) {
      served.primary_no_replica += 1;
      return work(db);
    }
    try {
      const value = await replica.read(work);
      served.replica += 1;
      return value;
    } catch (error) {
      if (error instanceof AppError) throw error;
      // Whatever it is: if it is not the replica's fault, the primary fails in the same way.
      served.primary_after_error += 1;
      if (isServerLost(error)) replica.failed();
      onError(error);
      return work(db);
    }
  }

  return {
    scans: read,
    async codes(ownerId, work) {
      if (replicas.pick(ownerId) && (await recentChanges.has(ownerId))) {
        served.primary_after_change += 1;
        return work(db);
      }
      return read(ownerId, work);
    },
    // An error is not the caller's: the change is done. Without the mark, a list may lack it for 2 s.
    codesChanged: (ownerId) => recentChanges.mark(ownerId).catch(onError),
  };
}
