import { addDays, localTime, startOfDay } from '../runtime/time-zone.ts';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import { insertNotices, unlessKnown } from './notices.ts';
import type { Owner } from './owners.ts';

/** Owners are told when a code has this many days left. */
export const firstNoticeDays = 60;
const thresholdDays = [firstNoticeDays, 30, 7, 1];

/**
 * Codes that end soon: a fact for each end and threshold. A code that had so little time left when it was created or last
 * changed is none: its owner has just seen it.
 */
export async function findEndingCodes(db: Database, ownerIds: string[], now: Date): Promise<void> {
  await db.raw(
    `${insertNotices}
     SELECT code.user_id, 'ending', code.id || ' ' || extract(epoch FROM code.expires_at) || ' ' || threshold.days, code.id,
       jsonb_build_object('days', threshold.days, 'end', extract(epoch FROM code.expires_at)), :now, :now
     FROM qr_codes AS code
     CROSS JOIN LATERAL (
       SELECT min(days) AS days FROM unnest(CAST(:thresholds AS integer[])) AS days
       WHERE code.expires_at - make_interval(hours => 24 * days) <= :now
         AND code.expires_at - make_interval(hours => 24 * days) > code.updated_at
     ) AS threshold
     WHERE code.user_id = ANY(:ownerIds) AND code.expires_at > :now
       AND code.expires_at <= CAST(:now AS timestamptz) + make_interval(hours => 24 * ${Math.max(...thresholdDays)})
       AND threshold.days IS NOT NULL
     ${unlessKnown}`,
    { now, ownerIds, thresholds: thresholdDays },
  );
}

/** Codes whose first scan was counted since their owner gets notices. Read from the counters: recording does nothing for it. */
export async function findFirstScans(db: Database, ownerIds: string[], now: Date): Promise<void> {
  await db.raw(
    `${insertNotices}
     SELECT code.user_id, 'first-scan', code.id::text, code.id, '{}', :now, :now
     FROM qr_codes AS code JOIN notice_checks USING (user_id)
     CROSS JOIN LATERAL (
       SELECT min(day) AS day FROM scan_counters WHERE qr_code_id = code.id AND dimension = 'total'
     ) AS first
     WHERE code.user_id = ANY(:ownerIds) AND first.day >= (since AT TIME ZONE 'UTC')::date
       AND NOT EXISTS (
         SELECT FROM notices WHERE notices.user_id = code.user_id AND kind = 'first-scan' AND fact = code.id::text
       )
     ${unlessKnown}`,
    { now, ownerIds },
  );
}

/** A day without a scan can be told apart from a slow morning from this hour on. */
const silenceFromHour = 20;
/** Unusual after as many days with scans, so that a code that rests on Sundays is left alone, */
const silenceDays = 14;
/** and as many scans a day: with fewer, a day without any is nothing special. */
const usualScansPerDay = 10;

/** Codes that were scanned every day and not at all today, as a day is in the owner's time zone. */
export async function findSilentCodes(db: Database, owners: Owner[], now: Date): Promise<void> {
  const evening = owners.filter(({ timeZone }) => localTime(now, timeZone).hour >= silenceFromHour);
  if (evening.length === 0) return;
  const starts = evening.map(({ timeZone }) => startOfDay(localTime(now, timeZone).date, timeZone));
  await db.raw(
    `${insertNotices}
     SELECT code.user_id, 'silence', code.id || ' ' || owner.day, code.id,
       jsonb_build_object('usual', round(usual.scans / ${silenceDays}.0)), :now, :now
     FROM unnest(CAST(:ownerIds AS uuid[]), CAST(:days AS date[]), CAST(:firstIds AS uuid[])) AS owner (id, day, first_id)
     JOIN qr_codes AS code ON code.user_id = owner.id
     CROSS JOIN LATERAL (
       SELECT count(*) AS days, sum(count) AS scans FROM scan_counters
       WHERE qr_code_id = code.id AND dimension = 'total' AND day < owner.day AND day >= owner.day - ${silenceDays}
     ) AS usual
     WHERE code.expires_at > :now AND code.is_public AND usual.days = ${silenceDays} AND usual.scans >= ${silenceDays * usualScansPerDay}
       AND NOT EXISTS (SELECT FROM scans WHERE scans.qr_code_id = code.id AND scans.id >= owner.first_id)
       -- Told once for each silence, not every day.
       AND NOT EXISTS (
         SELECT FROM notices AS known WHERE known.user_id = code.user_id AND known.kind = 'silence'
           AND known.qr_code_id = code.id AND known.found_at > CAST(:now AS timestamptz) - interval '${silenceDays} days'
       )
     ${unlessKnown}`,
    {
      now,
      ownerIds: evening.map(({ id }) => id),
      // Counters have UTC days: the last one that ended before the owner's day began.
      days: starts.map((start) => start.toISOString().slice(0, 10)),
      firstIds: starts.map(firstIdAt),
    },
  );
}

const summaryFromHour = 8;
const maxTop = 5;

/** The `data` of a weekly notice. */
export interface WeeklyData {
  /** The Monday after the week, in the owner's time zone. */
  monday: string;
  scans: number;
  /** In the week before. */
  before: number;
  top: { codeId: string; scans: number }[];
}

/** The Monday whose summary is due: from Monday morning until Tuesday night, where the owner is. */
export function dueMonday(now: Date, timeZone: string | null): string | undefined {
  const { date, hour, weekday } = localTime(now, timeZone);
  if (weekday === 0) return hour >= summaryFromHour ? date : undefined;
  return weekday === 1 ? addDays(date, -1) : undefined;
}

/** The summary of the last week, for owners whose codes were scanned in it. */
export async function findWeeklySummaries(db: Database, owners: Owner[], now: Date): Promise<void> {
  for (const { id, timeZone } of owners) {
    const monday = dueMonday(now, timeZone);
    if (monday === undefined) continue;
    const known = (await db('notices')
      .where({ user_id: id, kind: 'weekly', fact: monday })
      .first('id')) as unknown;
    if (known) continue;
    const [before, start, end] = [-14, -7, 0].map((days) => startOfDay(addDays(monday, days), timeZone)) as [
      Date,
      Date,
      Date,
    ];
    const week = await countOwnScans(db, id, start, end);
    const data: WeeklyData = {
      monday,
      scans: week.scans,
      before: (await countOwnScans(db, id, before, start)).scans,
      top: week.top,
    };
    // Without scans, the fact is kept and not sent, so that it is not counted again.
    const times = { found_at: now, retry_at: now, claimed_at: week.scans === 0 ? now : null };
    await db('notices')
      .insert({ user_id: id, kind: 'weekly', fact: monday, data, ...times })
      .onConflict(['user_id', 'kind', 'fact'])
      .ignore();
  }
}

/**
 * Scans of all codes of an owner from one moment until another. Whole UTC days come from the counters; only the hours
 * before and after them, which differ by time zone, are counted one by one.
 */
async function countOwnScans(
  db: Database,
  ownerId: string,
  from: Date,
  until: Date,
): Promise<Pick<WeeklyData, 'scans' | 'top'>> {
  const firstDay = new Date(Math.ceil(from.getTime() / dayMs) * dayMs);
  const lastDay = new Date(Math.floor(until.getTime() / dayMs) * dayMs);
  const { rows } = (await db.raw(
    `WITH code AS MATERIALIZED (SELECT id FROM qr_codes WHERE user_id = :ownerId),
     counted AS (
       SELECT qr_code_id, count FROM scan_counters
       WHERE qr_code_id IN (SELECT id FROM code) AND dimension = 'total' AND day >= :firstDay AND day < :lastDay
       UNION ALL
       SELECT qr_code_id, count(*) FROM scans
       WHERE qr_code_id IN (SELECT id FROM code) AND id >= :from AND id < :firstDayId GROUP BY 1
       UNION ALL
       SELECT qr_code_id, count(*) FROM scans
       WHERE qr_code_id IN (SELECT id FROM code) AND id >= :lastDayId AND id < :until GROUP BY 1
     )
     SELECT qr_code_id AS "codeId", sum(count)::bigint AS scans, (sum(sum(count)) OVER ())::bigint AS total
     FROM counted GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxTop}`,
    {
      ownerId,
      firstDay: firstDay.toISOString().slice(0, 10),
      lastDay: lastDay.toISOString().slice(0, 10),
      from: firstIdAt(from),
      firstDayId: firstIdAt(firstDay),
      lastDayId: firstIdAt(lastDay),
      until: firstIdAt(until),
    },
  )) as { rows: { codeId: string; scans: number; total: number }[] };
  return {
    scans: rows[0]?.total ?? 0,
    top: rows.map(({ codeId, scans }) => ({ codeId, scans })),
  };
}

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
