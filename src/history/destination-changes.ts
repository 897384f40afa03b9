import type { QrCode } from '../codes/qr-code.ts';
import type { Database } from '../store/database.ts';

/** The days in UTC, such as `2026-11-01`, on which what a code opens was changed. Both ends are included. */
export async function readDestinationChanges(
  db: Database,
  { id, workspaceId }: Pick<QrCode, 'id' | 'workspaceId'>,
  { from, to }: { from: string; to: string },
): Promise<Set<string>> {
  const { rows } = (await db.raw(
    `SELECT DISTINCT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM changes
     WHERE code_id = :id AND workspace_id = :workspaceId AND action = 'changed' AND jsonb_exists(before, 'content')
       AND at >= CAST(:from AS timestamptz) AND at < CAST(:to AS timestamptz) + interval '1 day'`,
    { id, workspaceId, from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z` },
  )) as { rows: { day: string }[] };
  return new Set(rows.map(({ day }) => day));
}
