import type { Database } from '../store/database.ts';
import { listPartitions } from './partitions.ts';

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
