import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboundRequest, OutboundResponse } from '../src/net/outbound-request.ts';
import type { MailRequest } from '../src/queue/mail-queue.ts';
import { findScans } from '../src/scans/scan.ts';
import type { Database } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { throttle } from '../src/telemetry/throttle.ts';
import { type Attempt, type Delivery, messageId } from '../src/webhooks/deliveries.ts';
import {
  type Call,
  cancelDelivery,
  claimEndpoints,
  nextDueInMs,
  type Outcome,
  outcomeOf,
  type Pace,
  recordAttempt,
  releaseEndpoint,
  takeDue,
} from '../src/webhooks/endpoint-turns.ts';
import { type Endpoint, tellOfDisabled } from '../src/webhooks/endpoints.ts';
import { renderBody } from '../src/webhooks/payload.ts';
import { type SecretBox, signedHeaders } from '../src/webhooks/signing.ts';
import { listToldOwners } from '../src/workspaces/people.ts';

/** Endpoints that one process calls at the same time. */
const maxEndpoints: Record<Pace, number> = { fast: 32, slow: 24 };
const scanPauseMs = 1_000;
/** While calls are made, what else is due is looked for this often. */
const roundMs = 1_000;
/** A claim lasts for a call and what is to be stored before and after it. */
const claimMarginMs = 5_000;
const maxStoredLength = 1_000;
/** Longer than a call takes with the default of WEBHOOK_TIMEOUT_SECONDS, and well below `drainLimitMs`. */
const defaultDrainMs = 12_000;

export interface DelivererOptions {
  db: Database;
  box: SecretBox;
  send: (request: OutboundRequest) => Promise<OutboundResponse>;
  timeoutMs: number;
  baseUrl: string;
  userAgent: string;
  onCall(outcome: Outcome): void;
  /** Tells the owners of endpoints that were disabled. */
  tellOwners(): Promise<void>;
  log: Log;
  drainMs?: number;
}

export interface WebhookDeliverer {
  /**
   * Starts the calls that are due, as far as there is room, and does not wait for them. Resolves to the milliseconds until
   * there may be more to do.
   */
  start(): Promise<number | undefined>;
  /**
   * Waits a while for the calls that are running, and ends the others: those are not counted as attempts, and another
   * worker makes them again at once.
   */
  close(): Promise<void>;
}

export function createWebhookDeliverer({
  db,
  box,
  send,
  timeoutMs,
  baseUrl,
  userAgent,
  onCall,
  tellOwners,
  log,
  drainMs = defaultDrainMs,
}: DelivererOptions): WebhookDeliverer {
  const running: Record<Pace, Set<Promise<void>>> = { fast: new Set(), slow: new Set() };
  let isClosing = false;
  const ended = new AbortController();
  const logFailed = throttle((err, times) =>
    log.warn({ err, times }, 'a webhook endpoint could not be called; its events are sent later'),
  );

  /** Undefined if the call was ended because the process shuts down. */
  async function call(endpoint: Endpoint, delivery: Delivery, body: string): Promise<Attempt | undefined> {
    const attemptedAt = new Date();
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': userAgent,
      ...signedHeaders(
        { id: messageId(delivery), body, secrets: secretsOf(endpoint, attemptedAt) },
        attemptedAt,
      ),
    };
    const startedAt = performance.now();
    const took = () => Math.round(performance.now() - startedAt);
    try {
      const response = await send({
        url: endpoint.url,
        method: 'POST',
        headers,
        body,
        signal: ended.signal,
      });
      return {
        attemptedAt,
        durationMs: took(),
        statusCode: response.status,
        response: storable(response.body),
        error: null,
      };
    } catch (error) {
      if (ended.signal.aborted) return undefined;
      const message = storable(error instanceof Error ? error.message : String(error));
      return { attemptedAt, durationMs: took(), statusCode: null, response: null, error: message };
    }
  }

  function secretsOf(
    { sealedSecret, sealedPreviousSecret, previousSecretUntil }: Endpoint,
    now: Date,
  ): string[] {
    const secrets = [box.open(sealedSecret)];
    if (sealedPreviousSecret && previousSecretUntil && previousSecretUntil > now)
      secrets.push(box.open(sealedPreviousSecret));
    return secrets;
  }

  async function deliver(
    endpoint: Endpoint,
    delivery: Delivery,
    onCallStarted: () => void = () => undefined,
  ): Promise<Call[]> {
    const body = await renderBody(db, delivery, { baseUrl, findScans });
    if (body === undefined) {
      await cancelDelivery(db, delivery);
      return [];
    }
    onCallStarted();
    const attempt = ended.signal.aborted ? undefined : await call(endpoint, delivery, body);
    if (!attempt) return [];
    const outcome = outcomeOf(attempt);
    onCall(outcome);
    await recordAttempt(db, delivery, attempt);
    return [{ outcome, durationMs: attempt.durationMs, isPing: delivery.event === 'ping' }];
  }

  /** At most one call with scans a second, by the clock of the database: the last one may have been another worker's. */
  async function deliverScans(endpoint: Endpoint, delivery: Delivery) {
    const waitMs = endpoint.scansAt.getTime() - (endpoint.claimedAt ?? endpoint.scansAt).getTime();
    if (waitMs > 0) await sleep(Math.min(waitMs, scanPauseMs));
    // Counted from the call itself: reading a hundred scans for it may take a while, and for the next one less.
    let startedAt = performance.now();
    const calls = await deliver(endpoint, delivery, () => (startedAt = performance.now()));
    return { calls, nextInMs: Math.ceil(startedAt + scanPauseMs - performance.now()) };
  }

  /** One round of calls to an endpoint. What is left is for the next one, perhaps by another process. */
  async function serve(endpoint: Endpoint): Promise<void> {
    const { scans, others } = await takeDue(db, endpoint);
    const [withScans, ...rest] = await Promise.all([
      scans ? deliverScans(endpoint, scans) : undefined,
      ...others.map((delivery) => deliver(endpoint, delivery)),
    ]);
    const calls = [...(withScans?.calls ?? []), ...rest.flat()];
    const { isDisabled } = await releaseEndpoint(db, endpoint, { calls, scans: withScans });
    if (!isDisabled) return;
    log.warn(
      { endpoint: endpoint.id },
      'a webhook endpoint was disabled: it is gone, or failed for three days',
    );
    await tellOwners();
  }

  async function startSome(pace: Pace): Promise<void> {
    const set = running[pace];
    const claimed = await claimEndpoints(db, {
      pace,
      limit: maxEndpoints[pace] - set.size,
      leaseMs: timeoutMs + claimMarginMs,
    });
    for (const endpoint of claimed) {
      // After an error, the claim runs out.
      const served = serve(endpoint)
        .catch(logFailed)
        .finally(() => set.delete(served));
      set.add(served);
    }
  }

  return {
    async start() {
      if (isClosing) return undefined;
      await startSome('fast');
      await startSome('slow');
      if (running.fast.size + running.slow.size > 0) return roundMs;
      const dueInMs = await nextDueInMs(db);
      return dueInMs === undefined ? undefined : Math.max(dueInMs, roundMs);
    },
    async close() {
      isClosing = true;
      const timer = setTimeout(() => ended.abort(), drainMs);
      await Promise.all([...running.fast, ...running.slow]);
      clearTimeout(timer);
    },
  };
}

/** Bounded, because a message may repeat what the other side has sent, such as the names in its certificate. PostgreSQL cannot store NUL characters. */
function storable(text: string): string {
  return text.slice(0, maxStoredLength).toWellFormed().replaceAll('\0', '\u{fffd}');
}

interface WebhookNoticeOptions {
  db: Database;
  /** Undefined without SMTP_URL. */
  sendMail: ((request: MailRequest, id: string) => Promise<void>) | undefined;
  log: Log;
}

/** Mails the owners of webhook endpoints that were disabled. Never rejects: the next run of housekeeping tries again. */
export function createWebhookNotices({ db, sendMail, log }: WebhookNoticeOptions): () => Promise<void> {
  return async () => {
    if (!sendMail) return;
    const tell = async ({ id, workspaceId, disabledAt }: Endpoint, transaction: Database) => {
      // The same id if the process dies before it has noted that: sent once for each time.
      for (const { userId } of await listToldOwners(transaction, workspaceId))
        await sendMail(
          { kind: 'webhook-disabled', userId, workspaceId, endpointId: id },
          `webhook-${id}-${disabledAt?.getTime()}-${userId}`,
        );
    };
    await tellOfDisabled(db, tell, new Date()).catch((err: unknown) =>
      log.warn(
        { err },
        'the owner of a disabled webhook endpoint was not told; tried again within 10 minutes',
      ),
    );
  };
}
