import { Model, snakeCaseMappers } from 'objection';
import { validate as isUuid } from 'uuid';
import { AppError, type FieldError } from '../errors.ts';
import { dayMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { firstIdAt } from '../store/time-ordered-id.ts';
import { Endpoint } from './endpoints.ts';
import { type DeliveryEvent, type DeliveryStatus, logDays, replayDays } from './events.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';

/** Deliveries in one replay. */
export const maxReplayed = 10_000;

export class Delivery extends Model {
  static override tableName = 'webhook_deliveries';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare endpointId: string;
  declare event: DeliveryEvent;
  declare qrCodeId: string | null;
  /** The code at that time: see migrations/0029-code-events.ts. */
  declare data: Record<string, unknown> | null;
  declare scanCodes: string[] | null;
  declare scanIds: string[] | null;
  declare happenedAt: Date;
  declare status: DeliveryStatus;
  declare attempts: number;
  declare nextAttemptAt: Date;
  declare giveUpAt: Date;
  declare finishedAt: Date | null;
}

/** A call of an endpoint: what is logged of it. */
export type Attempt = Pick<AttemptRow, 'attemptedAt' | 'durationMs' | 'statusCode' | 'response' | 'error'>;

export class AttemptRow extends Model {
  static override tableName = 'webhook_attempts';
  static override columnNameMappers = snakeCaseMappers();

  declare deliveryId: string;
  declare attemptedAt: Date;
  declare durationMs: number;
  declare statusCode: number | null;
  declare response: string | null;
  declare error: string | null;
}

/** The header `webhook-id`: the same for every attempt. */
export const messageId = ({ id }: Pick<Delivery, 'id'>) => `msg_${id}`;

/** Sends a `ping`. */
export async function createPing(db: Database, endpoint: Endpoint): Promise<Delivery> {
  requireEnabled(endpoint);
  const ping = await Delivery.query(db)
    .insert({ endpointId: endpoint.id, event: 'ping' })
    .returning('*')
    .first()
    .throwIfNotFound();
  await callSoon(db, endpoint);
  return ping;
}

interface LogPage {
  limit: number;
  cursor?: string | undefined;
  status?: DeliveryStatus | undefined;
  from?: Date;
  /** Not part of it. */
  to?: Date;
}

/** Not what is about a code in the trash, except the event that says so: restoring the code brings it back. */
const isShown = `(event = 'code.deleted'
  OR NOT EXISTS (SELECT FROM trashed_codes WHERE trashed_codes.code_id = webhook_deliveries.qr_code_id))`;

/** Newest first. Returns up to `limit` + 1: the extra one shows that there is a next page. */
export async function listDeliveries(
  db: Database,
  endpointId: string,
  { limit, cursor, status, from, to }: LogPage,
): Promise<Delivery[]> {
  const query = Delivery.query(db)
    .where({ endpoint_id: endpointId })
    .whereRaw(isShown)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) query.where('id', '<', cursor);
  if (status !== undefined) query.where({ status });
  if (from) query.where('happened_at', '>=', from);
  if (to) query.where('happened_at', '<', to);
  return query;
}

/** The same 404 for another owner's delivery, a missing one and a malformed id. */
export async function findOwnDelivery(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
): Promise<{ endpoint: Endpoint; delivery: Delivery }> {
  const delivery = isUuid(id) ? await Delivery.query(db).findById(id).whereRaw(isShown) : undefined;
  const endpoint =
    delivery && (await Endpoint.query(db).findOne({ id: delivery.endpointId, user_id: workspaceId }));
  if (!delivery || !endpoint) throw new AppError('not_found', 'There is no such delivery.');
  return { endpoint, delivery };
}

/** Oldest first. */
export async function listAttempts(db: Database, deliveryId: string): Promise<Attempt[]> {
  return AttemptRow.query(db)
    .where({ delivery_id: deliveryId })
    .orderBy('id')
    .select('attempted_at', 'duration_ms', 'status_code', 'response', 'error');
}

/** The latest call of each delivery, by its id. The map has no entry for one that has not been sent yet. */
export async function readLastAttempts(db: Database, deliveryIds: string[]): Promise<Map<string, Attempt>> {
  const rows = await AttemptRow.query(db)
    .distinctOn('delivery_id')
    .whereIn('delivery_id', deliveryIds)
    .orderBy('delivery_id')
    .orderBy('id', 'desc')
    .select('delivery_id', 'attempted_at', 'duration_ms', 'status_code', 'response', 'error');
  return new Map(rows.map((row) => [row.deliveryId, row]));
}

/** Sends a delivery again, with the same webhook-id. */
export async function retryDelivery(
  db: Database,
  endpoint: Endpoint,
  { id }: Delivery,
  now: Date,
): Promise<Delivery> {
  requireEnabled(endpoint);
  const again = await Delivery.query(db).patchAndFetchById(id, againColumns(now)).throwIfNotFound();
  await callSoon(db, endpoint);
  return again;
}

export interface Replayed {
  deliveries: number;
  scans: number;
}

interface Period {
  from: Date;
  to: Date;
}

/** Deliveries older than the log are unknown: a replay would send their scans as if they were new. */
export function periodErrors({ from, to }: Period, now: Date): FieldError[] {
  const isTooOld = now.getTime() - from.getTime() > replayDays * dayMs;
  return [
    ...(isTooOld ? [{ field: 'from', message: `must be at most ${logDays} days ago` }] : []),
    ...(to > from ? [] : [{ field: 'to', message: 'must be after from' }]),
  ];
}

/**
 * Sends again what happened from `from` until before `to`: deliveries in the log with the same webhook-id, and scans that are in
 * none of them, such as those from a time when the endpoint was disabled.
 */
export async function replayPeriod(
  db: Database,
  endpoint: Endpoint,
  { from, to }: Period,
  now: Date,
): Promise<Replayed> {
  return db.transaction(async (transaction) => {
    // One at a time, or each would find the same scans, and they would be sent in two deliveries.
    const locked = await Endpoint.query(transaction).findById(endpoint.id).forNoKeyUpdate();
    if (!locked) throw new AppError('not_found', 'There is no such webhook endpoint.');
    requireEnabled(locked);
    const found = await Delivery.query(transaction)
      .where({ endpoint_id: endpoint.id })
      .whereRaw(isShown)
      .whereNot({ status: 'pending' })
      .where('happened_at', '>=', from)
      .where('happened_at', '<', to)
      .limit(maxReplayed + 1)
      .select('id');
    const scans = endpoint.events.includes('scan.recorded')
      ? await addMissedScans(transaction, endpoint, { from, to })
      : 0;
    if (found.length > maxReplayed || scans > maxReplayed * 10) {
      throw new AppError('validation_error', 'There is too much to replay. Choose a shorter period.', {
        code: 'period_too_large',
      });
    }
    await Delivery.query(transaction)
      .patch(againColumns(now))
      .whereRaw('id = ANY(?::uuid[])', [found.map(({ id }) => id)]);
    await callSoon(transaction, endpoint);
    return { deliveries: found.length, scans };
  });
}

/** Ids of scans start with their time, so a range of ids is a range of times. */
async function addMissedScans(
  transaction: Database,
  endpoint: Endpoint,
  { from, to }: Period,
): Promise<number> {
  const { rows } = (await transaction.raw(
    `WITH known AS MATERIALIZED (
       SELECT unnest(scan_ids) AS id FROM webhook_deliveries
       WHERE endpoint_id = :endpointId AND happened_at >= :from AND scan_ids IS NOT NULL
       UNION ALL
       SELECT unnest(scan_ids) FROM webhook_scans WHERE endpoint_id = :endpointId
     ), missed AS MATERIALIZED (
       SELECT scan.qr_code_id, scan.id
       FROM webhook_endpoints AS endpoint
       JOIN qr_codes AS code ON code.user_id = endpoint.user_id
         AND webhook_selects(endpoint, code.id, code.category)
       JOIN scans AS scan ON scan.qr_code_id = code.id AND scan.id >= :firstId AND scan.id < :endId
       WHERE endpoint.id = :endpointId AND NOT EXISTS (SELECT FROM known WHERE known.id = scan.id)
       LIMIT :limit
     ), added AS (
       INSERT INTO webhook_scans (endpoint_id, qr_code_id, scan_ids)
       SELECT :endpointId, qr_code_id, array_agg(id ORDER BY id) FROM missed GROUP BY qr_code_id
     )
     SELECT count(*) AS count FROM missed`,
    {
      endpointId: endpoint.id,
      from,
      firstId: firstIdAt(from),
      endId: firstIdAt(to),
      limit: maxReplayed * 10 + 1,
    },
  )) as { rows: [{ count: number }] };
  return rows[0].count;
}

/** Scans in one call. */
const maxScans = 100;

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

function againColumns(now: Date) {
  return {
    status: 'pending' as const,
    nextAttemptAt: now,
    giveUpAt: new Date(now.getTime() + 3 * dayMs),
    finishedAt: null,
  };
}

/** An owner who tries it does not wait for the next attempt of a failing endpoint. */
async function callSoon(db: Database, { id }: Endpoint): Promise<void> {
  await Endpoint.query(db)
    .findById(id)
    .patch({ retryAt: db.fn.now() as never });
}

function requireEnabled({ isEnabled }: Endpoint): void {
  if (!isEnabled)
    throw new AppError('validation_error', 'This webhook endpoint is disabled. Enable it first.', {
      code: 'endpoint_disabled',
    });
}

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
