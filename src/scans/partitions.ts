import { dayMs } from '../runtime/units.ts';
import { type Database, sqlState } from '../store/database.ts';

/** Partitions exist for this many months after the current one. */
const monthsAhead = 3;

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
 * Creates the partitions of this month and the next ones that do not exist yet, and returns the end of the last one. Does
 * not block recording. Several processes may call it at once.
 */
export async function createPartitions(db: Database, now: Date): Promise<Date> {
  const existing = await listPartitions(db);
  const missing = monthsFrom(now).filter(
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
      `ALTER TABLE scans ATTACH PARTITION ${name} FOR VALUES FROM ('${firstId(month)}') TO ('${firstId(monthAfter(month))}')`,
    );
  });
}

/** The smallest id that a scan at or after this time can have. */
export function firstId(time: Date): string {
  const digits = time.getTime().toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
}

function monthsFrom(now: Date): Date[] {
  // A worker may record scans that were taken at the end of last month.
  const first = new Date(now.getTime() - 7 * dayMs);
  return Array.from(
    { length: monthsAhead + 2 },
    (_, index) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index)),
  );
}

function monthAfter(month: Date): Date {
  return new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
}

/** True for the error of an insert into `scans` that no partition takes. */
export function isPartitionMissing(error: unknown): boolean {
  return sqlState(error) === '23514' && /no partition of relation/.test((error as Error).message);
}
