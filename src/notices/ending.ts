import type { Database } from '../store/database.ts';
import { insertNotices, unlessKnown } from './notices.ts';

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
