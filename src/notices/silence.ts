import { localTime, startOfDay } from '../runtime/time-zone.ts';
import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import { insertNotices, unlessKnown } from './notices.ts';
import type { Owner } from './owners.ts';

/** A day without a scan can be told apart from a slow morning from this hour on. */
const fromHour = 20;
/** Unusual after as many days with scans, so that a code that rests on Sundays is left alone, */
const days = 14;
/** and as many scans a day: with fewer, a day without any is nothing special. */
const leastPerDay = 10;

/** Codes that were scanned every day and not at all today, as a day is in the owner's time zone. */
export async function findSilentCodes(db: Database, owners: Owner[], now: Date): Promise<void> {
  const evening = owners.filter(({ timeZone }) => localTime(now, timeZone).hour >= fromHour);
  if (evening.length === 0) return;
  const starts = evening.map(({ timeZone }) => startOfDay(localTime(now, timeZone).date, timeZone));
  await db.raw(
    `${insertNotices}
     SELECT code.user_id, 'silence', code.id || ' ' || owner.day, code.id,
       jsonb_build_object('usual', round(usual.scans / ${days}.0)), :now, :now
     FROM unnest(CAST(:ownerIds AS uuid[]), CAST(:days AS date[]), CAST(:firstIds AS uuid[])) AS owner (id, day, first_id)
     JOIN qr_codes AS code ON code.user_id = owner.id
     CROSS JOIN LATERAL (
       SELECT count(*) AS days, sum(count) AS scans FROM scan_counters
       WHERE qr_code_id = code.id AND dimension = 'total' AND day < owner.day AND day >= owner.day - ${days}
     ) AS usual
     WHERE code.expires_at > :now AND code.is_public AND usual.days = ${days} AND usual.scans >= ${days * leastPerDay}
       AND NOT EXISTS (SELECT FROM scans WHERE scans.qr_code_id = code.id AND scans.id >= owner.first_id)
       -- Told once for each silence, not every day.
       AND NOT EXISTS (
         SELECT FROM notices AS known WHERE known.user_id = code.user_id AND known.kind = 'silence'
           AND known.qr_code_id = code.id AND known.found_at > CAST(:now AS timestamptz) - interval '${days} days'
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
