import type { Database } from '../store/database.ts';
import { Delivery } from './deliveries.ts';
import { Endpoint } from './endpoints.ts';

/** Scans in one call. */
const maxScans = 100;
/** Other events that are sent to an endpoint at the same time. */
const maxParallel = 4;
/** A call with scans that is due this soon is waited for: the next look would be too late for it. */
const scansAheadMs = 500;

/**
 * Endpoints that answer quickly, and all others: those that are slow, that fail, or that were never called. Nobody can take
 * the places of the first kind for longer than a moment.
 */
const paces = {
  fast: { perHost: 16, condition: 'failures = 0 AND NOT is_slow' },
  slow: { perHost: 12, condition: '(failures > 0 OR is_slow)' },
} as const;

export type Pace = keyof typeof paces;

interface Claim {
  pace: Pace;
  limit: number;
  /** Nobody else calls the endpoints for this long. */
  leaseMs: number;
}

const isFreeSql = '(leased_until IS NULL OR leased_until <= now())';
/** Endpoints of an earlier version have none, and count as a host each. */
const hostSql = 'coalesce(host, id::text)';

/**
 * Claims endpoints that have something to be sent now, for one worker: those first that have waited longest, and so many of
 * a host at a time, by all workers together, that nobody can aim the service at it.
 */
export async function claimEndpoints(db: Database, { pace, limit, leaseMs }: Claim): Promise<Endpoint[]> {
  if (limit <= 0) return [];
  const { perHost, condition } = paces[pace];
  return Endpoint.query(db)
    .patch({
      leasedUntil: db.raw(`now() + make_interval(secs => ?)`, [leaseMs / 1000]),
      claimedAt: db.raw('clock_timestamp()'),
    })
    .whereRaw(
      `id IN (
        WITH due AS MATERIALIZED (
          SELECT id, claimed_at, ${hostSql} AS host FROM webhook_endpoints AS endpoint
          WHERE is_enabled AND retry_at <= now() AND ${isFreeSql} AND ${condition}
            AND (
              EXISTS (
                SELECT FROM webhook_deliveries AS delivery
                WHERE delivery.endpoint_id = endpoint.id AND delivery.status = 'pending'
                  AND (delivery.next_attempt_at <= now() OR failures > 0)
                  AND (delivery.event <> 'scan.recorded' OR scans_at <= now() + interval '${scansAheadMs} ms')
              )
              OR scans_at <= now() + interval '${scansAheadMs} ms'
                AND EXISTS (SELECT FROM webhook_scans AS scan WHERE scan.endpoint_id = endpoint.id)
            )
        ), busy AS MATERIALIZED (
          SELECT ${hostSql} AS host, count(*) AS endpoints FROM webhook_endpoints
          WHERE NOT ${isFreeSql} AND ${condition} GROUP BY 1
        ), turn AS MATERIALIZED (
          SELECT id FROM (
            SELECT id, claimed_at, coalesce(busy.endpoints, 0)
              + row_number() OVER (PARTITION BY host ORDER BY claimed_at NULLS FIRST, id) AS place
            FROM due LEFT JOIN busy USING (host)
          ) AS placed
          WHERE place <= ${perHost} ORDER BY claimed_at NULLS FIRST, id LIMIT :limit
        )
        SELECT id FROM webhook_endpoints WHERE id IN (SELECT id FROM turn) AND ${isFreeSql}
        FOR NO KEY UPDATE SKIP LOCKED
      )`,
      { limit },
    )
    .returning('*');
}

export interface Due {
  /** At most one, not before the endpoint's `scansAt`. */
  scans: Delivery | undefined;
  others: Delivery[];
}

/** What to send to a claimed endpoint. One that fails gets a single call, to see whether it works again. */
export async function takeDue(db: Database, { id, failures }: Endpoint): Promise<Due> {
  if (failures > 0) return takeProbe(db, id);
  const due = () =>
    Delivery.query(db)
      .where({ endpoint_id: id, status: 'pending' })
      .whereRaw('next_attempt_at <= now()')
      .orderBy('next_attempt_at');
  const others = await due().whereNot({ event: 'scan.recorded' }).limit(maxParallel);
  const scans = await due().where({ event: 'scan.recorded' }).first();
  return { scans: scans ?? (await gatherScans(db, id)), others };
}

/** What was not refused yet comes first: an endpoint may refuse a single event for ever, and take all others. */
async function takeProbe(db: Database, endpointId: string): Promise<Due> {
  const oldest = await Delivery.query(db)
    .where({ endpoint_id: endpointId, status: 'pending' })
    .orderBy(['attempts', 'next_attempt_at'])
    .first();
  const probe = oldest?.attempts === 0 ? oldest : ((await gatherScans(db, endpointId)) ?? oldest);
  if (!probe) return { scans: undefined, others: [] };
  return probe.event === 'scan.recorded'
    ? { scans: probe, others: [] }
    : { scans: undefined, others: [probe] };
}

interface WaitingScans {
  id: string;
  codeId: string;
  scanIds: string[];
}

/** Makes a delivery of the oldest scans that wait. From here on, its webhook-id and scans stay the same. */
export async function gatherScans(db: Database, endpointId: string): Promise<Delivery | undefined> {
  return db.transaction(async (transaction) => {
    const waiting = (await transaction('webhook_scans')
      .where({ endpoint_id: endpointId })
      .orderBy('id')
      .limit(maxScans)
      .forUpdate()
      .skipLocked()
      .select({ id: 'id', codeId: 'qr_code_id', scanIds: 'scan_ids' })) as WaitingScans[];
    const taken: { codeId: string; scanId: string }[] = [];
    const emptied: string[] = [];
    for (const { id, codeId, scanIds } of waiting) {
      const some = scanIds.slice(0, maxScans - taken.length);
      taken.push(...some.map((scanId) => ({ codeId, scanId })));
      if (some.length === scanIds.length) emptied.push(id);
      else
        await transaction('webhook_scans')
          .where({ id })
          .update({ scan_ids: scanIds.slice(some.length) });
      if (taken.length === maxScans) break;
    }
    if (taken.length === 0) return undefined;
    await transaction('webhook_scans').whereIn('id', emptied).delete();
    return Delivery.query(transaction)
      .insert({
        endpointId,
        event: 'scan.recorded',
        scanCodes: taken.map(({ codeId }) => codeId),
        scanIds: taken.map(({ scanId }) => scanId),
      })
      .returning('*')
      .first();
  });
}
