import { dayMs, hourMs } from '../runtime/units.ts';
import type { Database } from '../store/database.ts';
import { type Attempt, Delivery } from './deliveries.ts';
import { deleteOfGoneCodes, dropPending, Endpoint } from './endpoints.ts';

/** A delivery that fails is tried again after 5 s, 10 s, 20 s … 6 h, for three days. */
const firstRetryMs = 5_000;
const longestRetryMs = 6 * hourMs;
/** An endpoint that fails is called again after 1 s, 2 s, 4 s … 1 h. After three days it is disabled. */
const firstPauseMs = 1_000;
const longestPauseMs = hourMs;
const maxFailingMs = 3 * dayMs;
const gone = 410;
/** An endpoint that takes longer is called in the places of those that fail. */
const slowMs = 2_000;

export type Outcome = 'delivered' | 'failed' | 'gone';

export interface Call {
  outcome: Outcome;
  durationMs: number;
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
  now: Date,
): Promise<void> {
  const outcome = outcomeOf(attempt);
  const next = nextState(outcome, { attempts, giveUpAt }, now);
  await db.transaction(async (transaction) => {
    const updated = await Delivery.query(transaction)
      .findById(id)
      .patch({ attempts: attempts + 1 });
    // The endpoint was deleted meanwhile, and its log purged.
    if (updated === 0) return;
    const change = Delivery.query(transaction).findById(id).patch(next);
    // Its owner may have asked for a retry during the call, or disabled the endpoint.
    await (outcome === 'delivered'
      ? change
      : change.where({ next_attempt_at: nextAttemptAt, status: 'pending' }));
    await transaction('webhook_attempts').insert({
      delivery_id: id,
      attempted_at: attempt.attemptedAt,
      duration_ms: attempt.durationMs,
      status_code: attempt.statusCode,
      response: attempt.response,
      error: attempt.error,
    });
    if (next.finishedAt) await deleteOfGoneCodes(transaction('webhook_deliveries').where({ id }));
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

/** Nothing is left to be sent. */
export async function cancelDelivery(db: Database, { id }: Delivery, now: Date): Promise<void> {
  await Delivery.query(db).findById(id).patch({ status: 'canceled', finishedAt: now });
}

/**
 * Ends the claim. `calls`: that were made; `scansAt`: when the next one with scans may be. What its owner
 * has set since the claim stays: a new address, a retry or a disabled endpoint.
 */
export async function releaseEndpoint(
  db: Database,
  endpoint: Endpoint,
  { calls, scansAt }: { calls: Call[]; scansAt: Date | undefined },
  now: Date,
): Promise<{ isDisabled: boolean }> {
  const state = endpointState(endpoint, calls, now);
  return db.transaction(async (transaction) => {
    const own = await Endpoint.query(transaction)
      .findById(endpoint.id)
      .where({ leased_until: endpoint.leasedUntil })
      .forNoKeyUpdate();
    // Deleted, or claimed by another worker after this claim ran out.
    if (!own) return { isDisabled: false };
    // Everything that an owner does to start again sets `retryAt`.
    const isUnchanged = own.isEnabled && own.retryAt.getTime() === endpoint.retryAt.getTime();
    const changes = isUnchanged ? state : {};
    await Endpoint.query(transaction)
      .findById(endpoint.id)
      .patch({ ...changes, ...(scansAt && { scansAt }), leasedUntil: null });
    const isDisabled = changes.isEnabled === false;
    if (isDisabled) await dropPending(transaction, endpoint.id);
    return { isDisabled };
  });
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
  const since = failingSince ?? now;
  const failing = {
    failures: failures + 1,
    failingSince: since,
    retryAt: new Date(now.getTime() + backoffMs(firstPauseMs, failures, longestPauseMs)),
  };
  if (now.getTime() - since.getTime() < maxFailingMs) return failing;
  return { ...failing, isEnabled: false, disabledAt: now, disabledReason: 'failing' };
}

/** With jitter, so that endpoints that failed together are not called together. */
function backoffMs(firstMs: number, earlier: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(earlier, 20)) * (0.8 + 0.4 * Math.random());
}
