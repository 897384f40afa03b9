import type { Database } from './database.ts';

/** The time of the database, which all workers share. In a transaction: when it began. */
export async function readClock(db: Database): Promise<Date> {
  const { rows } = (await db.raw('SELECT now() AS now')) as { rows: [{ now: Date }] };
  return rows[0].now;
}
