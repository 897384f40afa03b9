import type { Database } from '../../src/store/database.ts';

/** The tables, of whatever schema, with a row in which the text can be read: as it is, in hexadecimal or in base64. */
export async function tablesHolding(db: Database, text: string): Promise<string[]> {
  const { rows: tables } = (await db.raw(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  )) as { rows: { name: string }[] };
  const holding: string[] = [];
  for (const { name } of tables) {
    const { rows } = (await db.raw(
      `SELECT 1 FROM ${name} AS r
       WHERE EXISTS (SELECT 1 FROM unnest(CAST(? AS text[])) AS form WHERE strpos(lower(r::text), lower(form)) > 0)
       LIMIT 1`,
      [formsOf(text)],
    )) as { rows: unknown[] };
    if (rows.length > 0) holding.push(name);
  }
  return holding;
}

function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  // Base64 looks different at each of three offsets; the ends depend on what is around them.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [text, bytes.toString('hex'), ...base64];
}
