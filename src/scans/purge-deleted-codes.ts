import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../store/database.ts';
import { Scan } from './scan.ts';

/** Deleted in one transaction: a fraction of a second. */
const rowsPerStep = 5_000;
/**
 * A recorder whose transaction began before the code was deleted may still add scans. None lasts this long, so a code that
 * has nothing left after it is done.
 */
const settledAfter = '10 minutes';

const zeroId = '00000000-0000-0000-0000-000000000000';

export interface Purged {
  scans: number;
  counters: number;
  /** Codes of which nothing is left and nothing can come. */
  codes: number;
}

/**
 * Purges the scans and counters of deleted codes until `isOver`, the oldest first. Safe to repeat and to interrupt.
 * `purgeElsewhere` deletes a step of what others keep of a code, and returns the number of rows.
 */
export async function purgeDeletedCodes(
  db: Database,
  isOver: () => boolean,
  purgeElsewhere: (codeId: string) => Promise<number> = async () => 0,
): Promise<Purged> {
  const purged: Purged = { scans: 0, counters: 0, codes: 0 };
  const isSettled = `deleted_at < now() - interval '${settledAfter}'`;
  const deleted = (await db('deleted_codes')
    .whereNull('purged_at')
    .orWhereRaw(isSettled)
    .orderBy('deleted_at')
    .limit(10_000)
    .select('id', db.raw(`${isSettled} AS settled`))) as { id: string; settled: boolean }[];
  for (const { id, settled } of deleted) {
    const isEmpty =
      (await inSteps(isOver, scanSteps(db, id), (rows) => (purged.scans += rows))) &&
      (await inSteps(isOver, rowSteps(db, 'scan_counters', id), (rows) => (purged.counters += rows))) &&
      (await inSteps(isOver, rowSteps(db, 'scan_cities', id), () => undefined)) &&
      (await inSteps(
        isOver,
        () => purgeElsewhere(id),
        () => undefined,
      ));
    if (!isEmpty) break;
    if (settled) purged.codes += await db('deleted_codes').where({ id }).delete();
    else await db('deleted_codes').where({ id }).update({ purged_at: db.fn.now() });
  }
  return purged;
}

/** Deleted codes that may still have scans or counters. */
export async function countDeletedCodes(db: Database): Promise<number> {
  const row = (await db('deleted_codes').whereNull('purged_at').count('* as count').first()) as {
    count: number;
  };
  return row.count;
}

/** Runs the step until it deletes nothing, and pauses as long as it takes: recorders need the server, too. */
async function inSteps(
  isOver: () => boolean,
  step: () => Promise<number>,
  onDeleted: (rows: number) => void,
): Promise<boolean> {
  while (!isOver()) {
    const startedAt = performance.now();
    const rows = await step();
    onDeleted(rows);
    if (rows === 0) return true;
    await sleep(performance.now() - startedAt);
  }
  return false;
}

/** Goes on where it stopped, because the index still holds the deleted rows. */
function scanSteps(db: Database, codeId: string): () => Promise<number> {
  let after = zeroId;
  return async () => {
    const { count, last } = await Scan.deleteNext(db, codeId, { after, limit: rowsPerStep });
    after = last ?? after;
    return count;
  };
}

function rowSteps(db: Database, table: string, codeId: string): () => Promise<number> {
  return async () => {
    const { rowCount } = (await db.raw(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM ${table} WHERE qr_code_id = :codeId LIMIT ${rowsPerStep} FOR UPDATE SKIP LOCKED
       ))`,
      { codeId },
    )) as { rowCount: number };
    return rowCount;
  };
}
