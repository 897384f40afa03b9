import { dayMs, hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { insertNotices, unlessKnown } from './notices.ts';
import { wantsNoticesSql } from './owners.ts';

/** Once a day, a little earlier each time, so that a late run does not skip a day. */
const checkEveryMs = 23 * hourMs;
/** Codes that were scanned within this many days. */
const scannedDays = 7;
const codesPerStep = 1_000;
const maxTurnWaitMs = 2_000;

/** 'gone': the page does not exist. 'unreachable': nothing answered. Null: it answers, or nobody knows. */
export type DestinationState = 'gone' | 'unreachable' | null;

export interface DueCode {
  id: string;
  content: string;
}

const dueBefore = (now: Date) => new Date(now.getTime() - checkEveryMs);

/** Where a pass over all codes is: in the order of their share tokens, from `start` to the end, then from the beginning to it. */
export interface PassPosition {
  start: string;
  /** The share token that was looked at last. */
  after: string;
  /** It has begun again at the first code. */
  isWrapped: boolean;
}

interface CodePage {
  codes: DueCode[];
  /** Undefined: these were the last codes. */
  next: PassPosition | undefined;
}

/** Share tokens are random, so the codes of an owner or a host are spread over all of them. */
export function passFrom(start: string): PassPosition {
  return { start, after: start, isWrapped: false };
}

/**
 * Finds, among the next codes, those with an address that are scanned and whose owner wants to know. Looks at as many codes each
 * time, by an index, however many there are and however few of them are due.
 */
export async function findDueCodes(db: Database, position: PassPosition, now: Date): Promise<CodePage> {
  const columns = `id, user_id, share_token, type = 'url' AND is_public AND expires_at > :now AS is_live`;
  const { rows } = (await db.raw(
    `WITH page AS MATERIALIZED (
       (SELECT ${columns}, false AS is_wrapped FROM qr_codes
        WHERE NOT :isWrapped AND share_token > :after ORDER BY share_token LIMIT ${codesPerStep})
       UNION ALL
       (SELECT ${columns}, true FROM qr_codes
        WHERE share_token > CASE WHEN :isWrapped THEN :after ELSE '' END AND share_token <= :start
        ORDER BY share_token LIMIT ${codesPerStep})
       ORDER BY is_wrapped, share_token LIMIT ${codesPerStep}
     ), due AS (
       SELECT page.id
       FROM page JOIN notice_checks USING (user_id)
       WHERE is_live AND ${wantsNoticesSql('page.user_id', 'destination')}
         -- A file of ours is there.
         AND NOT EXISTS (SELECT FROM code_files AS file WHERE file.code_id = page.id)
         AND NOT EXISTS (
           SELECT FROM destination_checks AS known WHERE known.qr_code_id = page.id AND known.checked_at > :due
         )
         AND EXISTS (
           SELECT FROM scan_counters AS counter
           WHERE counter.qr_code_id = page.id AND dimension = 'total' AND day > CAST(:today AS date) - ${scannedDays}
         )
     ), last AS (
       SELECT share_token, is_wrapped FROM page ORDER BY is_wrapped DESC, share_token DESC LIMIT 1
     )
     SELECT (SELECT count(*)::integer FROM page) AS looked, (SELECT share_token FROM last) AS after,
       (SELECT is_wrapped FROM last) AS "isWrapped",
       (SELECT coalesce(json_agg(json_build_object('id', code.id, 'content', code.content)), '[]')
        FROM due JOIN qr_codes AS code USING (id)) AS codes`,
    { ...position, now, due: dueBefore(now), today: now.toISOString().slice(0, 10) },
  )) as { rows: [{ looked: number; codes: DueCode[] } & Omit<PassPosition, 'start'>] };
  const [{ looked, codes, after, isWrapped }] = rows;
  const { start } = position;
  return { codes, next: looked < codesPerStep ? undefined : { start, after, isWrapped } };
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
     WHERE code.user_id IS NOT NULL
       AND (CAST(:state AS text) = 'gone' OR (CAST(:state AS text) = 'unreachable' AND failures >= 2))
     ${unlessKnown}`,
    { codeIds, url, state, now } as never,
  );
}

/** Whether a request to the host may be made now: one a second, by all workers together. Otherwise, how long to wait. */
export async function takeHostTurn(db: Database, host: string): Promise<number> {
  const { rows } = (await db.raw(
    `INSERT INTO destination_hosts AS known (host, next_at) VALUES (:host, clock_timestamp() + interval '1 second')
     ON CONFLICT (host) DO UPDATE SET next_at = clock_timestamp() + interval '1 second'
     WHERE known.next_at <= clock_timestamp() OR known.next_at > clock_timestamp() + interval '${maxTurnWaitMs} ms'
     RETURNING host`,
    { host },
  )) as { rows: unknown[] };
  if (rows.length > 0) return 0;
  const { rows: waits } = (await db.raw(
    `SELECT ceil(extract(epoch FROM next_at - clock_timestamp()) * 1000)::integer AS ms
     FROM destination_hosts WHERE host = :host`,
    { host },
  )) as { rows: { ms: number }[] };
  // The clock of the database may have been set back.
  return Math.min(maxTurnWaitMs, Math.max(1, waits[0]?.ms ?? 1));
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
