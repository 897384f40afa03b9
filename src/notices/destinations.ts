import { dayMs, hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { insertNotices, unlessKnown } from './notices.ts';
import { isReachableSql } from './owners.ts';

/** Once a day, a little earlier each time, so that a late run does not skip a day. */
const checkEveryMs = 23 * hourMs;
/** Codes that were scanned within this many days. */
const scannedDays = 7;
const codesPerStep = 500;

/** 'gone': the page does not exist. 'unreachable': nothing answered. Null: it answers, or nobody knows. */
export type DestinationState = 'gone' | 'unreachable' | null;

export interface DueCode {
  id: string;
  content: string;
}

const dueBefore = (now: Date) => new Date(now.getTime() - checkEveryMs);

/** Codes with an address that are scanned, and whose owner wants to know. In random order: no host holds up the others. */
export async function findDueCodes(db: Database, now: Date): Promise<DueCode[]> {
  const { rows } = (await db.raw(
    `SELECT code.id, code.content
     FROM notice_checks JOIN users AS owner ON owner.id = notice_checks.user_id
     JOIN qr_codes AS code ON code.user_id = owner.id
     WHERE ${isReachableSql} AND NOT coalesce('destination' = ANY(owner.muted_notices), false)
       AND code.type = 'url' AND code.is_public AND code.expires_at > :now
       -- A file of ours is there.
       AND NOT EXISTS (SELECT FROM code_files AS file WHERE file.code_id = code.id)
       AND NOT EXISTS (
         SELECT FROM destination_checks AS known WHERE known.qr_code_id = code.id AND known.checked_at > :due
       )
       AND EXISTS (
         SELECT FROM scan_counters AS counter
         WHERE counter.qr_code_id = code.id AND dimension = 'total' AND day > CAST(:today AS date) - ${scannedDays}
       )
     ORDER BY random() LIMIT ${codesPerStep}`,
    { now, due: dueBefore(now), today: now.toISOString().slice(0, 10) },
  )) as { rows: DueCode[] };
  return rows;
}

/** The codes that no other worker has taken. What is known of another address of a code is forgotten. */
export async function claimCodes(db: Database, codeIds: string[], url: string, now: Date): Promise<string[]> {
  const { rows } = (await db.raw(
    `INSERT INTO destination_checks AS known (qr_code_id, url, checked_at)
     SELECT id, :url, :now FROM unnest(CAST(:codeIds AS uuid[])) AS id ORDER BY id
     ON CONFLICT (qr_code_id) DO UPDATE SET checked_at = excluded.checked_at, url = excluded.url,
       problem = CASE WHEN known.url = excluded.url THEN known.problem END,
       failing_since = CASE WHEN known.url = excluded.url THEN known.failing_since END,
       failures = CASE WHEN known.url = excluded.url THEN known.failures ELSE 0 END
     WHERE known.checked_at <= :due
     RETURNING qr_code_id AS id`,
    { codeIds, url, now, due: dueBefore(now) } as never,
  )) as { rows: { id: string }[] };
  return rows.map(({ id }) => id);
}

/** Stores what was found, and tells the owner: of a missing page at once, of no answer after the second time in a row. */
export async function recordDestination(
  db: Database,
  codeIds: string[],
  { url, state }: { url: string; state: DestinationState },
  now: Date,
): Promise<void> {
  await db.raw(
    `WITH checked AS (
       UPDATE destination_checks SET problem = :state,
         failing_since = CASE WHEN CAST(:state AS text) IS NOT NULL THEN coalesce(failing_since, :now) END,
         failures = CASE WHEN CAST(:state AS text) IS NOT NULL THEN failures + 1 ELSE 0 END
       WHERE qr_code_id = ANY(CAST(:codeIds AS uuid[]))
       RETURNING qr_code_id, failing_since, failures
     )
     ${insertNotices}
     SELECT code.user_id, 'destination', code.id || ' ' || extract(epoch FROM failing_since), code.id,
       jsonb_build_object('url', CAST(:url AS text), 'problem', CAST(:state AS text)), :now, :now
     FROM checked JOIN qr_codes AS code ON code.id = checked.qr_code_id
     WHERE CAST(:state AS text) = 'gone' OR (CAST(:state AS text) = 'unreachable' AND failures >= 2)
     ${unlessKnown}`,
    { codeIds, url, state, now } as never,
  );
}

/** Whether a request to the host may be made now: one a second, by all workers together. Otherwise, how long to wait. */
export async function takeHostTurn(db: Database, host: string): Promise<number> {
  const { rows } = (await db.raw(
    `INSERT INTO destination_hosts AS known (host, next_at) VALUES (:host, clock_timestamp() + interval '1 second')
     ON CONFLICT (host) DO UPDATE SET next_at = clock_timestamp() + interval '1 second'
     WHERE known.next_at <= clock_timestamp()
     RETURNING host`,
    { host },
  )) as { rows: unknown[] };
  if (rows.length > 0) return 0;
  const { rows: waits } = (await db.raw(
    `SELECT ceil(extract(epoch FROM next_at - clock_timestamp()) * 1000)::integer AS ms
     FROM destination_hosts WHERE host = :host`,
    { host },
  )) as { rows: { ms: number }[] };
  return Math.max(1, waits[0]?.ms ?? 1);
}

export async function purgeDestinations(db: Database, now: Date): Promise<void> {
  await db.raw(
    `DELETE FROM destination_checks AS known
     WHERE NOT EXISTS (SELECT FROM qr_codes WHERE qr_codes.id = known.qr_code_id)`,
  );
  await db('destination_hosts')
    .where('next_at', '<=', new Date(now.getTime() - dayMs))
    .delete();
}
