import { dayMs, hourMs } from '../runtime/units.ts';
import { type Database, readClock } from '../store/database.ts';
import { type Attempt, AttemptRow, Delivery, gatherScans } from './deliveries.ts';
import { leaseOn } from '../store/lease.ts';
import { Endpoint } from './endpoints.ts';
import { deleteIfCodeIsGone, dropPending } from './purge-deliveries.ts';

/** Other events that are sent to an endpoint at the same time. */
const maxParallel = 4;
/** A call with scans that is due this soon is waited for: the next look would be too late for it. */
const scansAheadMs = 500;

/**
 * Fast endpoints have slots of their own: slow, failing and new ones cannot hold them.
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

const lease = leaseOn('webhook_endpoints');
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
      leasedUntil: db.raw(lease.until(leaseMs)),
      claimedAt: db.raw('clock_timestamp()'),
    })
    .whereRaw(
      `id IN (
        WITH due AS MATERIALIZED (
          SELECT id, claimed_at, ${hostSql} AS host FROM webhook_endpoints AS endpoint
          WHERE is_enabled AND retry_at <= now() AND ${lease.isFree} AND ${condition}
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
          WHERE NOT ${lease.isFree} AND ${condition} GROUP BY 1
        ), turn AS MATERIALIZED (
          SELECT id FROM (
            SELECT id, claimed_at, coalesce(busy.endpoints, 0)
              + row_number() OVER (PARTITION BY host ORDER BY claimed_at NULLS FIRST, id) AS rank_in_host
            FROM due LEFT JOIN busy USING (host)
          ) AS ranked
          WHERE rank_in_host <= ${perHost} ORDER BY claimed_at NULLS FIRST, id LIMIT :limit
        )
        SELECT id FROM webhook_endpoints WHERE id IN (SELECT id FROM turn) AND ${lease.isFree}
        FOR NO KEY UPDATE SKIP LOCKED
      )`,
      { limit },
    )
    .returning('*');
}

/** When an endpoint that nobody calls has something to be sent, in milliseconds from now; undefined if none has. */
export async function nextDueInMs(db: Database): Promise<number | undefined> {
  const { rows } = (await db.raw(
    `SELECT ceil(1000 * extract(epoch FROM min(greatest(endpoint.retry_at, waiting.due_at)) - now()))::float AS ms
     FROM webhook_endpoints AS endpoint
     CROSS JOIN LATERAL (
       (SELECT CASE WHEN endpoint.failures > 0 THEN now() ELSE next_attempt_at END AS due_at
        FROM webhook_deliveries AS delivery
        WHERE delivery.endpoint_id = endpoint.id AND delivery.status = 'pending'
        ORDER BY next_attempt_at LIMIT 1)
       UNION ALL
       (SELECT endpoint.scans_at FROM webhook_scans AS scan WHERE scan.endpoint_id = endpoint.id LIMIT 1)
     ) AS waiting
     WHERE endpoint.is_enabled AND ${lease.isFree}`,
  )) as { rows: [{ ms: number | null }] };
  return rows[0].ms === null ? undefined : Math.max(0, rows[0].ms);
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

/** Deliveries that were never refused come first: an endpoint may refuse one event forever and accept all others. */
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

/** A delivery that fails is tried again after 5 s, 10 s, 20 s … 6 h, for three days. */
const firstRetryMs = 5_000;
const longestRetryMs = 6 * hourMs;
/** An endpoint that fails is called again after 1 s, 2 s, 4 s … 1 h. After three days it is disabled. */
const firstPauseMs = 1_000;
const longestPauseMs = hourMs;
const maxFailingMs = 3 * dayMs;
const gone = 410;
/** Slower endpoints use the failing endpoints' slots. */
const slowMs = 2_000;
/** The rest is purged by housekeeping. */
const maxDroppingMs = 5_000;

export type Outcome = 'delivered' | 'failed' | 'gone';

export interface Call {
  outcome: Outcome;
  durationMs: number;
  isPing: boolean;
}

export function outcomeOf({ statusCode }: Pick<Attempt, 'statusCode'>): Outcome {
  if (statusCode === gone) return 'gone';
  return statusCode !== null && statusCode >= 200 && statusCode < 300 ? 'delivered' : 'failed';
}

/** The log of a call, and what becomes of its delivery. */
export async function recordAttempt(
  db: Database,
  { id, attempts, giveUpAt, nextAttemptAt }: Delivery,
  attempt: Attempt,
): Promise<void> {
  const outcome = outcomeOf(attempt);
  await db.transaction(async (transaction) => {
    const updated = await Delivery.query(transaction)
      .findById(id)
      .patch({ attempts: attempts + 1 });
    // The endpoint was deleted meanwhile, and its log purged.
    if (updated === 0) return;
    const next = nextState(outcome, { attempts, giveUpAt }, await readClock(transaction));
    const change = Delivery.query(transaction).findById(id).patch(next);
    // Its owner may have asked for a retry during the call, or disabled the endpoint.
    await (outcome === 'delivered'
      ? change
      : change.where({ next_attempt_at: nextAttemptAt, status: 'pending' }));
    await AttemptRow.query(transaction).insert({ ...attempt, deliveryId: id });
    if (next.finishedAt) await deleteIfCodeIsGone(transaction, id);
  });
}

function nextState(
  outcome: Outcome,
  { attempts, giveUpAt }: Pick<Delivery, 'attempts' | 'giveUpAt'>,
  now: Date,
): Partial<Delivery> {
  if (outcome === 'delivered') return { status: 'delivered', finishedAt: now };
  if (now >= giveUpAt) return { status: 'failed', finishedAt: now };
  return { nextAttemptAt: new Date(now.getTime() + backoffMs(firstRetryMs, attempts, longestRetryMs)) };
}

/** Nothing of it is left to be sent. */
export async function cancelDelivery(db: Database, { id }: Delivery): Promise<void> {
  await Delivery.query(db).findById(id).patch({ status: 'canceled', finishedAt: db.fn.now() });
}

export interface Round {
  /** Calls made this round. */
  calls: Call[];
  /** Set after a call with scans: when the next one may be made. */
  scans: { nextInMs: number } | undefined;
}

/** Ends the claim. What its owner has set since then stays: a new address, a retry or a disabled endpoint. */
export async function releaseEndpoint(
  db: Database,
  endpoint: Endpoint,
  round: Round,
): Promise<{ isDisabled: boolean }> {
  const isDisabled = await db.transaction((transaction) => endClaim(transaction, endpoint, round));
  if (isDisabled) await dropPending(db, endpoint.id, maxDroppingMs);
  return { isDisabled };
}

/** Returns whether it disables the endpoint. */
async function endClaim(
  transaction: Database,
  endpoint: Endpoint,
  { calls, scans }: Round,
): Promise<boolean> {
  const own = await Endpoint.query(transaction)
    .findById(endpoint.id)
    .where({ leased_until: endpoint.leasedUntil })
    .forNoKeyUpdate();
  // Deleted, or claimed by another worker after this claim ran out.
  if (!own) return false;
  const now = await readClock(transaction);
  // Everything that an owner does to start again sets `retryAt`.
  const isUnchanged = own.isEnabled && own.retryAt.getTime() === endpoint.retryAt.getTime();
  const changes = isUnchanged ? endpointState(endpoint, calls, now) : {};
  const isDisabled = changes.isEnabled === false;
  // Start from zero: otherwise a single failure, days later, could disable the endpoint.
  if (!isDisabled && (changes.failures ?? own.failures) > 0 && !(await hasWaiting(transaction, own)))
    Object.assign(changes, { failures: 0, failingSince: null, retryAt: now });
  await Endpoint.query(transaction)
    .findById(endpoint.id)
    .patch({
      ...changes,
      ...(scans && { scansAt: new Date(now.getTime() + scans.nextInMs) }),
      leasedUntil: null,
    });
  return isDisabled;
}

async function hasWaiting(transaction: Database, { id }: Endpoint): Promise<boolean> {
  const waiting = { endpoint_id: id };
  return (
    (await transaction('webhook_deliveries')
      .where({ ...waiting, status: 'pending' })
      .first('id')) !== undefined ||
    (await transaction('webhook_scans').where(waiting).first('id')) !== undefined
  );
}

function endpointState(
  { failures, failingSince }: Pick<Endpoint, 'failures' | 'failingSince'>,
  calls: Call[],
  now: Date,
): Partial<Endpoint> {
  const outcomes = calls.map(({ outcome }) => outcome);
  if (outcomes.includes('gone')) return { isEnabled: false, disabledAt: now, disabledReason: 'gone' };
  if (outcomes.length === 0) return {};
  if (outcomes.includes('delivered')) {
    const isSlow = calls.some(({ durationMs }) => durationMs > slowMs);
    return { failures: 0, failingSince: null, isSlow };
  }
  const pause = {
    retryAt: new Date(now.getTime() + backoffMs(firstPauseMs, failures, longestPauseMs)),
  };
  // An owner may test an endpoint that takes no pings. A failing one gets no more calls by them.
  if (calls.every(({ isPing }) => isPing)) return failures > 0 ? pause : {};
  const since = failingSince ?? now;
  const failing = { ...pause, failures: failures + 1, failingSince: since };
  if (now.getTime() - since.getTime() < maxFailingMs) return failing;
  return { ...failing, isEnabled: false, disabledAt: now, disabledReason: 'failing' };
}

/** With jitter, so that endpoints that failed together are not called together. */
function backoffMs(firstMs: number, earlier: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(earlier, 20)) * (0.8 + 0.4 * Math.random());
}
