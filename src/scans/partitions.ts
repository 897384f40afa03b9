import { dayMs } from '../runtime/units.ts';
import { type Database, sqlState } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';

/** Partitions exist for this many months after the current one. */
const monthsAhead = 3;
/** A clock that is wrong must not create partitions without end. */
const maxMonthsBack = 24;

/** A table that holds the scans of a period, usually a month (UTC). */
export interface Partition {
  name: string;
  /** Undefined for the first one, which holds everything before its end. */
  from: Date | undefined;
  to: Date;
}

/** The partitions of `scans`, oldest first. */
export async function listPartitions(db: Database): Promise<Partition[]> {
  const { rows } = (await db.raw(
    `SELECT child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bounds
     FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
     WHERE inhparent = 'scans'::regclass AND NOT inhdetachpending`,
  )) as { rows: { name: string; bounds: string }[] };
  return rows
    .map(({ name, bounds }) => {
      const [to, from] = [...bounds.matchAll(/'([0-9a-f-]{36})'/g)]
        .map(([, id]) => timeOf(id ?? ''))
        .toReversed();
      return { name, from, to: to ?? new Date(0) };
    })
    .toSorted((a, b) => a.to.getTime() - b.to.getTime());
}

/**
 * Creates the partitions of this month and the next ones that do not exist yet, and returns the end of the last one. Also
 * those of earlier months: in a database restored from an old backup, jobs may have scans of the time since then. Does
 * not block recording. Several processes may call it at once.
 */
export async function createPartitions(db: Database, now: Date): Promise<Date> {
  const existing = await listPartitions(db);
  const missing = monthsUntil(now, existing[0]?.to).filter(
    (month) => !existing.some(({ from, to }) => (from === undefined || from <= month) && month < to),
  );
  for (const month of missing) await createPartition(db, month);
  const [last] = missing.length > 0 ? (await listPartitions(db)).slice(-1) : existing.slice(-1);
  return last?.to ?? new Date(0);
}

async function createPartition(db: Database, month: Date): Promise<void> {
  const name = `scans_${month.toISOString().slice(0, 7).replace('-', '_')}`;
  await db.transaction(async (transaction) => {
    await transaction.raw("SELECT pg_advisory_xact_lock(hashtextextended('create partitions of scans', 0))");
    const isThere = (await listPartitions(transaction)).some((partition) => partition.name === name);
    if (isThere) return;
    // Attached, because CREATE TABLE … PARTITION OF would block every statement on `scans` while it waits for its lock.
    await transaction.raw(`CREATE TABLE ${name} (LIKE scans INCLUDING DEFAULTS INCLUDING INDEXES)`);
    await transaction.raw(
      `ALTER TABLE scans ATTACH PARTITION ${name} FOR VALUES FROM ('${firstIdAt(month)}') TO ('${firstIdAt(monthAfter(month))}')`,
    );
  });
}

function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
}

/** From the end of the first partition, or from the last days if that is later, until some months after now. */
function monthsUntil(now: Date, firstEnd: Date | undefined): Date[] {
  // A worker may record scans that were taken at the end of last month.
  const recent = now.getTime() - 7 * dayMs;
  const earliest = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - maxMonthsBack);
  const first = new Date(Math.min(recent, Math.max(earliest, firstEnd?.getTime() ?? recent)));
  const months: Date[] = [];
  const last = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsAhead);
  for (let month = monthOf(first); month.getTime() <= last; month = monthAfter(month)) months.push(month);
  return months;
}

function monthOf(time: Date): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth()));
}

function monthAfter(month: Date): Date {
  return new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
}

/** True for the error of an insert into `scans` that no partition takes. */
export function isPartitionMissing(error: unknown): boolean {
  return sqlState(error) === '23514' && /no partition of relation/.test((error as Error).message);
}
