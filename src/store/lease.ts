import type { Database } from './database.ts';

export interface Lease {
  /** SQL condition: nobody holds the row. */
  isFree: string;
  /** SQL expression: the end of a lease that begins now. */
  until(ms: number): string;
  /** Lets the lease of the selected rows end later. Returns how many rows are still held. */
  renew(db: Database, held: Held, end: Date): Promise<number>;
  /** Ends the lease of the selected rows: `changes` say whether they are finished or free again. Returns how many rows. */
  end(db: Database, held: Held, changes?: Record<string, unknown>): Promise<number>;
}

/**
 * Columns that select what a worker holds. With the end of its lease, a worker that was overtaken changes nothing; without,
 * what it has done counts all the same, such as a mail that was sent.
 */
type Held = Readonly<Record<string, unknown>>;

/**
 * Rows that workers claim for a while. Each claim is a statement of its own, with `isFree` and `until`; it locks with
 * SKIP LOCKED, so that two workers take different rows.
 *
 *   free ── claimed → held ── finished → done
 *     ↑                ├── released → free
 *     └────────────────┴── the worker was killed, and the lease ran out
 *
 * Times are those of the database: by the clock of a worker, another one might take what this one holds.
 */
export function leaseOn(table: string, column = 'leased_until'): Lease {
  return {
    isFree: `(${column} IS NULL OR ${column} <= now())`,
    until: (ms) => `now() + interval '${ms} ms'`,
    renew: (db, held, end) =>
      db(table)
        .where(held)
        .whereNotNull(column)
        .update({ [column]: end }),
    end: (db, held, changes = {}) =>
      db(table)
        .where(held)
        .update({ [column]: null, ...changes }),
  };
}
