import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { claimKey, findResponse, type KeyUse, storeResponse } from '../../accounts/idempotent-responses.ts';
import type { ServiceSecrets } from '../../accounts/secrets.ts';
import { AppError, BusyError, invalid } from '../../errors.ts';
import { createFairScheduler } from '../../runtime/fair-scheduler.ts';
import { type Database, sqlState } from '../../store/database.ts';
import { bodyBytesOf } from '../middleware/body.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

const header = 'Idempotency-Key';
const maxKeyLength = 255;
const maxWaitMs = 10_000;
const maxWaiting = 200;
/** More than any response has: the limits of request bodies bound it. */
const maxResponseLength = 4 * 1024 * 1024;
const lockNotAvailable = '55P03';

/** What an operation answers, apart from the headers of every response. */
export interface OperationResponse {
  status: number;
  headers: { ETag?: string; Location?: string; 'Qrelay-Warning'?: string[] };
  body?: unknown;
}

type Run = (transaction: Database) => Promise<OperationResponse>;

interface Outcome {
  response: OperationResponse;
  isReplay: boolean;
}

interface IdempotencyOptions {
  db: Database;
  secrets: ServiceSecrets;
  now: () => Date;
}

/** The key of a request and the hash of the rest of it, or undefined without one. */
export function readKeyUse(ctx: Context, workspaceId: WorkspaceId): KeyUse | undefined {
  const key = ctx.req.headers['idempotency-key'] as string | undefined;
  if (key === undefined) return undefined;
  // Other characters would be sent differently by different clients.
  if (key.length > maxKeyLength || !/^[\x20-\x7e]+$/.test(key)) {
    const message = `must have 1 to ${maxKeyLength} visible ASCII characters`;
    throw invalid([{ field: header, message }]);
  }
  const hash = createHash('sha256').update(`${ctx.method} ${ctx.url}\n`);
  // It decides whether the request changes anything. Without it, the hash is that of the previous release.
  const ifMatch = ctx.req.headers['if-match'];
  if (ifMatch !== undefined) hash.update(`If-Match: ${ifMatch}\n`);
  return { workspaceId, key, requestHash: hash.update(bodyBytesOf(ctx), 'latin1').digest() };
}

/**
 * Runs a request once for each key: later ones get its response. Its effect and its response are one transaction, so a
 * crash leaves both or neither. A request that fails changes nothing and stores nothing: the key can be used again.
 */
export function createIdempotency({ db, secrets, now }: IdempotencyOptions) {
  // In this process one at a time, so that they do not wait for each other on connections of the pool.
  const turns = createFairScheduler({
    slots: Number.POSITIVE_INFINITY,
    waitingPerKey: maxWaiting,
    maxWaitMs,
  });

  async function inTurn<Value>({ workspaceId, key }: KeyUse, work: () => Promise<Value>): Promise<Value> {
    const release = await turns.acquire({ key: `${workspaceId} ${key}` }).catch((error: unknown) => {
      throw error instanceof BusyError ? inProgress() : error;
    });
    return work().finally(release);
  }

  async function replay(source: Database, use: KeyUse): Promise<Outcome | undefined> {
    const stored = await findResponse(source, secrets, use, now());
    if (!stored) return undefined;
    if (!stored.requestHash.equals(use.requestHash)) throw otherRequest();
    return { response: JSON.parse(stored.response) as OperationResponse, isReplay: true };
  }

  async function runAndStore(transaction: Database, use: KeyUse, run: Run): Promise<Outcome> {
    const response = await run(transaction);
    const text = JSON.stringify(response);
    if (text.length > maxResponseLength) throw new Error('The response is too long to be stored');
    await storeResponse(transaction, secrets, use, text);
    return { response, isReplay: false };
  }

  return {
    /** `prepare` may take long and must change nothing. What it returns must do everything in the transaction it gets. */
    once: (use: KeyUse, prepare: () => Promise<Run>): Promise<Outcome> =>
      inTurn(use, async () => {
        const earlier = await replay(db, use);
        if (earlier) return earlier;
        const run = await prepare();
        return db.transaction(async (transaction) => {
          if (await claim(transaction, use, now())) return runAndStore(transaction, use, run);
          // Undefined only where it has become a day old in between.
          const outcome = await replay(transaction, use);
          if (!outcome) throw inProgress();
          return outcome;
        });
      }),
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Waits for another process for as long as the database lets a statement wait for a lock. */
async function claim(transaction: Database, use: KeyUse, now: Date): Promise<boolean> {
  try {
    return await claimKey(transaction, use, now);
  } catch (error) {
    throw sqlState(error) === lockNotAvailable ? inProgress() : error;
  }
}

function otherRequest(): AppError {
  const message = 'was used for another request in the last 24 hours; use a new key for each request';
  return invalid([{ field: header, message }], { code: 'idempotency_key_reused' });
}

function inProgress(): AppError {
  const message = `A request with this ${header} is still being processed. Try again in a second.`;
  return new AppError('validation_error', message, {
    status: 409,
    headers: { 'Retry-After': '1' },
    code: 'request_in_progress',
  });
}
