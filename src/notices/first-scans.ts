import type { Database } from '../store/database.ts';
import { insertNotices, unlessKnown } from './notices.ts';

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
