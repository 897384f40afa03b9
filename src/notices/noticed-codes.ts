import type { Database } from '../store/database.ts';

export interface NoticedCode {
  id: string;
  name: string;
  content: string;
  /** Seconds since 1970, as in the data of a notice. */
  end: number;
}

/** The codes of an owner that notices are about, by id. Deleted ones are missing. */
export async function findNoticedCodes(
  db: Database,
  ownerId: string,
  ids: string[],
): Promise<Map<string, NoticedCode>> {
  const { rows } = (await db.raw(
    `SELECT id, name, content, extract(epoch FROM expires_at)::float8 AS "end" FROM qr_codes
     WHERE user_id = :ownerId AND id = ANY(CAST(:ids AS uuid[]))`,
    { ownerId, ids } as never,
  )) as { rows: NoticedCode[] };
  return new Map(rows.map((code) => [code.id, code]));
}
