import { availableParallelism } from 'node:os';
import { BusyError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import { createFairScheduler } from '../runtime/fair-scheduler.ts';
import { openThread, type Thread } from '../runtime/thread.ts';
import { type HashCost, longestPassword, recommendedCost, unknownHash } from './passwords.ts';
import type { PasswordRequest } from './password-thread-main.ts';

/** One core stays free for redirects; more than two threads would only take memory. */
const defaultThreads = Math.min(2, Math.max(1, availableParallelism() - 1));
/** The thread hashes for one request while the database counts the attempts of the others. */
const requestsPerThread = 3;
const retryAfterSeconds = 5;

export interface Hashing {
  hash(password: string): Promise<string>;
  /** Takes as long without a hash as with one, so that the time does not reveal whether an account exists. */
  verify(passwordHash: string | null, password: string): Promise<boolean>;
  /** Whether a password for this account would be among the first that an attacker tries. */
  isCommon(password: string, email: string): Promise<boolean>;
}

/** Hashes and checks passwords. Rejects with a 503 where too many requests wait. */
export interface PasswordHasher extends Hashing {
  /**
   * Runs `work` when it is the turn of `key`, for work that must happen right before the password is checked. The key is an
   * account or the hash of a client address; those without one take turns as one.
   */
  withSlot<Value>(work: (hashing: Hashing) => Promise<Value>, key?: string): Promise<Value>;
  /** Throws the 503 where `withSlot` would, before the database is queried. */
  assertCapacity(key?: string): void;
  close(): Promise<void>;
}

interface HasherOptions {
  log: Log;
  cost?: HashCost;
  threads?: number;
  concurrency?: number;
  maxWaiting?: number;
  maxWaitMs?: number;
}

/**
 * Uses its own threads: libuv's four are shared with the spool's file writes, which redirects wait for. The threads start
 * with the first password.
 */
export function createPasswordHasher({
  log,
  cost = recommendedCost,
  threads = defaultThreads,
  concurrency = threads * requestsPerThread,
  maxWaiting = 20,
  maxWaitMs = 5_000,
}: HasherOptions): PasswordHasher {
  const turns = createFairScheduler({
    slots: concurrency,
    slotsPerKey: concurrency,
    waitingPerKey: maxWaiting,
    waiting: maxWaiting,
    maxWaitMs,
  });
  const opened: Promise<Thread<PasswordRequest>>[] = [];
  let lastUsed = 0;
  const logRefused = throttle((err, count) =>
    log.warn(
      { err, count },
      'passwords were not checked: too many at once, or a thread failed; clients got a 503',
    ),
  );

  /** Round robin. Each thread starts when it is first used, and runs one hash at a time. */
  function nextThread(): Promise<Thread<PasswordRequest>> {
    lastUsed = (lastUsed + 1) % threads;
    opened[lastUsed] ??= openThread<PasswordRequest>({
      file: new URL('password-thread-main.js', import.meta.url),
      data: cost,
      name: 'password',
      log,
    });
    return opened[lastUsed] as Promise<Thread<PasswordRequest>>;
  }

  function busy(cause?: unknown): BusyError {
    logRefused(cause);
    return new BusyError(
      'Too many passwords are being checked right now, and nothing was changed. Go back, wait a few seconds, and try again.',
      { retryAfterSeconds, cause },
    );
  }

  async function call(request: PasswordRequest): Promise<unknown> {
    const thread = await nextThread();
    return thread.call(request).catch((error: unknown) => {
      throw busy(error);
    });
  }

  const hashing: Hashing = {
    hash: async (password) => (await call({ method: 'hash', password })) as string,
    async verify(passwordHash, password) {
      // No stored password is longer, and input of any length must not be normalized and hashed.
      if (password.length > 2 * longestPassword) return false;
      const matches = await call({
        method: 'verify',
        password,
        passwordHash: passwordHash ?? unknownHash(cost),
      });
      return matches === true && passwordHash !== null;
    },
    isCommon: async (password, email) => (await call({ method: 'isCommon', password, email })) as boolean,
  };

  async function withSlot<Value>(work: (hashing: Hashing) => Promise<Value>, key = ''): Promise<Value> {
    const release = await turns.acquire({ key }).catch((error: unknown) => {
      throw busy(error);
    });
    try {
      return await work(hashing);
    } finally {
      release();
    }
  }

  return {
    withSlot,
    assertCapacity(key = '') {
      if (turns.isFull(key)) throw busy();
    },
    hash: (password) => withSlot(({ hash }) => hash(password)),
    verify: (passwordHash, password) => withSlot(({ verify }) => verify(passwordHash, password)),
    isCommon: (password, email) => withSlot(({ isCommon }) => isCommon(password, email)),
    async close() {
      await Promise.all(opened.map(async (thread) => (await thread).end()));
    },
  };
}
