import type { Database } from './database.ts';

/** A column whose next generated value is taken already. */
export interface LateSequence {
  table: string;
  column: string;
}

/** A copy that restored rows but not sequences makes the next inserts fail. */
export async function findLateSequences(db: Database): Promise<LateSequence[]> {
  const { rows } = (await db.raw(
    `SELECT format('%I.%I', space.nspname, owner.relname) AS "table", attname AS "column",
            coalesce(pg_sequence_last_value(sequence.oid), 0) AS last
     FROM pg_depend JOIN pg_class AS sequence ON sequence.oid = objid AND sequence.relkind = 'S'
     JOIN pg_class AS owner ON owner.oid = refobjid
     JOIN pg_namespace AS space ON space.oid = owner.relnamespace
     JOIN pg_attribute ON attrelid = owner.oid AND attnum = refobjsubid
     WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i')
       AND has_table_privilege(owner.oid, 'SELECT')`,
  )) as { rows: (LateSequence & { last: number })[] };
  const late: LateSequence[] = [];
  for (const { table, column, last } of rows) {
    const { rows: found } = (await db.raw(
      `SELECT EXISTS (SELECT FROM ${table} WHERE :column: > :last) AS "isLate"`,
      { column, last },
    )) as { rows: [{ isLate: boolean }] };
    if (found[0].isLate) late.push({ table, column });
  }
  return late;
}
