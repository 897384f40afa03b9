import type { Database } from '../store/database.ts';

/**
 * Reads the next scans of a code from where the last read ended, without reading all that follow. Postgres would do that, and
 * sort them, where its statistics do not know how many scans the code has: after a restore, or while a new code is scanned
 * by many at once.
 */
export function inIndexOrder<Result>(
  db: Database,
  read: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (transaction) => {
    await forbidSorting(transaction);
    return read(transaction);
  });
}

/**
 * For the rest of the transaction. Before PostgreSQL 18, a plan that sorts all the same, if only one row, seems to cost ten
 * billion, and is compiled before it runs, which takes longer than anything that we do.
 */
export async function forbidSorting(transaction: Database): Promise<void> {
  await transaction.raw("SELECT set_config('enable_sort', 'off', true), set_config('jit', 'off', true)");
}
