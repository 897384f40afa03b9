import { expect } from 'chai';
import type { Database } from '../../src/store/database.ts';
import { eventually } from './eventually.ts';

interface RowLock {
  /** Until this many other sessions of the database wait for a lock. */
  waiters(count: number): Promise<void>;
  release(): Promise<void>;
}

/** Until this many sessions of the database wait for a lock. */
export const lockWaiters = (db: Database, count: number): Promise<void> =>
  eventually(async () => {
    const { rows } = (await db.raw(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )) as { rows: [{ waiting: number }] };
    expect(rows[0].waiting).to.be.at.least(count);
  });

/** Locks a code's row, so that requests which change it can be brought to the same point before any of them goes on. */
export async function lockCode(db: Database, codeId: string): Promise<RowLock> {
  const holder = await db.transaction();
  await holder.raw('SELECT 1 FROM qr_codes WHERE id = ? FOR UPDATE', [codeId]);
  return {
    waiters: (count) => lockWaiters(db, count),
    release: async () => {
      await holder.commit();
    },
  };
}
