import type { Database } from '../store/database.ts';

const maxCounted = 100_000;

export interface Backlog {
  /** Deliveries, and groups of scans that are in none yet. */
  waiting: number;
  lateSeconds: number;
  endpoints: { working: number; failing: number; disabled: number; off: number };
}

/** How much waits to be sent, and in which state the endpoints are. */
export async function readBacklog(db: Database): Promise<Backlog> {
  const { rows } = (await db.raw(
    `SELECT
       (SELECT count(*) FROM (SELECT FROM webhook_deliveries WHERE status = 'pending' LIMIT ${maxCounted}) AS pending)
         + (SELECT count(*) FROM (SELECT FROM webhook_scans LIMIT ${maxCounted}) AS scans) AS waiting,
       (SELECT coalesce(max(extract(epoch FROM now() - greatest(oldest.due_at, endpoint.retry_at))), 0)::float
        FROM webhook_endpoints AS endpoint
        CROSS JOIN LATERAL (
          SELECT next_attempt_at AS due_at FROM webhook_deliveries AS delivery
          WHERE delivery.endpoint_id = endpoint.id AND status = 'pending' AND event <> 'scan.recorded'
            AND next_attempt_at <= now()
          ORDER BY next_attempt_at LIMIT 1
        ) AS oldest
        WHERE endpoint.is_enabled AND endpoint.failures = 0 AND endpoint.retry_at <= now()) AS "lateSeconds",
       (SELECT jsonb_build_object(
          'working', count(*) FILTER (WHERE is_enabled AND failures = 0),
          'failing', count(*) FILTER (WHERE is_enabled AND failures > 0),
          'disabled', count(*) FILTER (WHERE NOT is_enabled AND disabled_reason <> 'owner'),
          'off', count(*) FILTER (WHERE NOT is_enabled AND disabled_reason = 'owner')
        ) FROM webhook_endpoints) AS endpoints`,
  )) as { rows: [Backlog] };
  return rows[0];
}
