import { dayMs, hourMs } from '../runtime/units.ts';
import { type Database, readClock } from '../store/database.ts';
import { type Attempt, Delivery } from './deliveries.ts';
import { deleteIfCodeIsGone, dropPending } from './drop-pending.ts';
import { Endpoint } from './endpoints.ts';

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
/** What is left then is purged by housekeeping. */
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
    await transaction('webhook_attempts').insert({
      delivery_id: id,
      attempted_at: attempt.attemptedAt,
      duration_ms: attempt.durationMs,
      status_code: attempt.statusCode,
      response: attempt.response,
      error: attempt.error,
    });
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
  /** That were made. */
  calls: Call[];
  /** Of a call with scans: when the next one may be made. */
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
  // What comes next is judged by itself: a single failure, days later, must not be the last one.
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
