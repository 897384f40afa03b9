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

const lockWaitMs = 400;

/** Raw scans before this time were dropped. Undefined if all are kept. */
export async function readHorizon(db: Database): Promise<Date | undefined> {
  const row = (await db('scan_horizon').first('kept_from as keptFrom')) as { keptFrom: Date } | undefined;
  return row?.keptFrom;
}

/**
 * Drops the partitions whose scans are all older than the given number of whole months before this one, and returns their
 * names. The counters stay. Each needs an exclusive lock for a moment: rejects with 55P03 when it is not free.
 */
export async function dropExpiredPartitions(db: Database, keepMonths: number, now: Date): Promise<string[]> {
  const keptFrom = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - keepMonths));
  const dropped: string[] = [];
  for (const { name, to } of await listPartitions(db)) {
    if (to > keptFrom) break;
    await db.transaction(async (transaction) => {
      await transaction.raw(`SET LOCAL lock_timeout = '${lockWaitMs}ms'`);
      // First, so that nobody compares the counters with scans that are gone.
      await transaction.raw(
        `INSERT INTO scan_horizon AS horizon (kept_from) VALUES (?)
         ON CONFLICT (only_row) DO UPDATE SET kept_from = greatest(horizon.kept_from, excluded.kept_from)`,
        [to],
      );
      await transaction.raw('DROP TABLE ??', [name]);
    });
    dropped.push(name);
  }
  return dropped;
}

/** The end of a table, where new rows usually are. */
const blocksRead = 64;

export interface NewestScans {
  newestAt: Date | undefined;
  /** The codes that were scanned last, at most `maxCodes`. */
  codeIds: string[];
}

/** Reads the last blocks of the last partition that is not empty: there is no index by time alone. */
export async function readNewestScans(db: Database, maxCodes: number): Promise<NewestScans> {
  for (const { name } of (await listPartitions(db)).toReversed()) {
    const { rows } = (await db.raw(
      `WITH tail AS MATERIALIZED (
         SELECT qr_code_id, scanned_at FROM :name:
         -- A subquery, because a range of blocks must be known before the table is read.
         WHERE ctid >= (
           SELECT format('(%s,0)', greatest(0, pg_relation_size(CAST(:name AS regclass))
             / current_setting('block_size')::bigint - ${blocksRead}))::tid
         )
       )
       SELECT qr_code_id AS id, max(scanned_at) AS "newestAt" FROM tail
       GROUP BY 1 ORDER BY 2 DESC LIMIT :maxCodes`,
      { name, maxCodes },
    )) as { rows: { id: string; newestAt: Date }[] };
    if (rows[0]) return { newestAt: rows[0].newestAt, codeIds: rows.map(({ id }) => id) };
  }
  return { newestAt: undefined, codeIds: [] };
}
