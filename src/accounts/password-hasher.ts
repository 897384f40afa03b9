import { availableParallelism } from 'node:os';
import { BusyError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import { openThread, type Thread } from '../runtime/thread.ts';
import type { PasswordQuestion } from './password-thread-main.ts';
import { longestPassword } from './passwords.ts';
import { createTurns } from './turns.ts';

/** A thread for each but one of the cores, so that redirects have one; more than two would only take memory. */
const usualThreads = Math.min(2, Math.max(1, availableParallelism() - 1));
/** For each thread: one is hashed while the database counts the others as attempts. */
const turnsPerThread = 3;
const retryAfterSeconds = 5;
/** Of a random password that nobody has, with the cost of ours. */
const hashOfNobody =
  '$argon2id$v=19$m=19456,t=2,p=1$nB9AT9yFgZh69cqLeFxwZQ$bwsOIB4qgTYpPmbL5NNBWqHhKigt/QTppJEu8tR4z+M';

export interface Hashing {
  hash(password: string): Promise<string>;
  /** Without a hash to compare with, as long as with one: how long it takes tells nothing of who has an account. */
  verify(passwordHash: string | null, password: string): Promise<boolean>;
}

/** Hashes and checks passwords. Rejects with a 503 where too many wait already. */
export interface PasswordHasher extends Hashing {
  /** For what must be done right before a password is checked, and not while it waits. */
  withTurn<Value>(work: (hashing: Hashing) => Promise<Value>): Promise<Value>;
  /** Throws the 503 at once where a turn would be refused: for before the database is asked. */
  needRoom(): void;
  close(): Promise<void>;
}

interface HasherOptions {
  log: Log;
  threads?: number;
  mostAtOnce?: number;
  mostWaiting?: number;
  longestWaitMs?: number;
}

/**
 * In threads of its own: libuv's four are shared with the writes of the spool, and a redirect waits for those. The threads
 * are started by the first password.
 */
export function createPasswordHasher({
  log,
  threads = usualThreads,
  mostAtOnce = threads * turnsPerThread,
  mostWaiting = 20,
  longestWaitMs = 5_000,
}: HasherOptions): PasswordHasher {
  const turns = createTurns({ atOnce: mostAtOnce, mostWaiting, longestWaitMs });
  const opened: Promise<Thread<PasswordQuestion>>[] = [];
  let lastUsed = 0;
  const tellRefused = throttle((err, count) =>
    log.warn(
      { err, count },
      'passwords were not checked: too many at once, or a thread failed; clients got a 503',
    ),
  );

  /** One after the other, each started when it is first needed. Each does one hash at a time. */
  function nextThread(): Promise<Thread<PasswordQuestion>> {
    lastUsed = (lastUsed + 1) % threads;
    opened[lastUsed] ??= openThread<PasswordQuestion, string>({
      file: new URL('password-thread-main.js', import.meta.url),
      data: undefined,
      name: 'password',
      log,
    });
    return opened[lastUsed] as Promise<Thread<PasswordQuestion>>;
  }

  function busy(cause?: unknown): BusyError {
    tellRefused(cause);
    return new BusyError(
      'Too many passwords are being checked right now, and nothing was changed. Go back, wait a few seconds, and try again.',
      { retryAfterSeconds, cause },
    );
  }

  async function ask(question: PasswordQuestion): Promise<unknown> {
    const thread = await nextThread();
    return thread.call(question).catch((error: unknown) => {
      throw busy(error);
    });
  }

  async function withTurn<Value>(work: (hashing: Hashing) => Promise<Value>): Promise<Value> {
    const endTurn = await turns.take();
    if (!endTurn) throw busy();
    try {
      return await work({
        hash: async (password) => (await ask({ password })) as string,
        async verify(passwordHash, password) {
          // Nobody's password is longer, and what is typed is not to be normalized and hashed at any length.
          if (password.length > 2 * longestPassword) return false;
          const matches = (await ask({ password, passwordHash: passwordHash ?? hashOfNobody })) as boolean;
          return matches && passwordHash !== null;
        },
      });
    } finally {
      endTurn();
    }
  }

  return {
    withTurn,
    needRoom() {
      if (turns.isFull()) throw busy();
    },
    hash: (password) => withTurn(({ hash }) => hash(password)),
    verify: (passwordHash, password) => withTurn(({ verify }) => verify(passwordHash, password)),
    async close() {
      await Promise.all(opened.map(async (thread) => (await thread).end()));
    },
  };
}
