import type { Database } from '../store/database.ts';

/** A code has an event when it has less than this many days left, once for each. */
const thresholdDays = [30, 7, 1];
const maxEvents = 10_000;

/** Writes `code.expiring` for codes that end soon. Safe to repeat: an event is written once for each end and threshold. */
export async function writeExpiringEvents(db: Database, now: Date): Promise<number> {
  const { rowCount } = (await db.raw(
    `INSERT INTO webhook_deliveries (endpoint_id, event, qr_code_id, data, once_key)
     SELECT endpoint.id, 'code.expiring', code.id,
       jsonb_set(to_jsonb(code) - '{user_id,hosts,hosts_key,default_expires_at,after_expiry_url}'::text[], '{days_left}', to_jsonb(threshold.days)),
       'expiring ' || code.id || ' ' || extract(epoch FROM code.expires_at) || ' ' || threshold.days
     FROM webhook_endpoints AS endpoint
     JOIN qr_codes AS code ON code.user_id = endpoint.user_id AND webhook_selects(endpoint, code.id, code.category)
     CROSS JOIN LATERAL (
       SELECT min(days) AS days FROM unnest(CAST(:thresholds AS integer[])) AS days
       WHERE code.expires_at <= CAST(:now AS timestamptz) + make_interval(days => days)
     ) AS threshold
     WHERE endpoint.is_enabled AND 'code.expiring' = ANY(endpoint.events)
       AND code.expires_at > :now AND code.expires_at <= CAST(:now AS timestamptz) + interval '${Math.max(...thresholdDays)} days'
       AND threshold.days IS NOT NULL
       AND NOT EXISTS (
         SELECT FROM webhook_deliveries AS known WHERE known.endpoint_id = endpoint.id
           AND known.once_key = 'expiring ' || code.id || ' ' || extract(epoch FROM code.expires_at) || ' ' || threshold.days
       )
     LIMIT ${maxEvents}
     ON CONFLICT (endpoint_id, once_key) DO NOTHING`,
    { now, thresholds: thresholdDays },
  )) as { rowCount: number };
  return rowCount;
}
