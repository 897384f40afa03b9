import { BusyError } from '../errors.ts';

/** Whoever asks for slow work. */
export interface Caller {
  /** Who takes turns: the id of an account, or the hash of a client address. */
  key: string;
  /** Aborted when nobody waits for the result any more. */
  signal?: AbortSignal | undefined;
}

export interface FairScheduler {
  /** Does the work when it is the caller's turn. Rejects with a BusyError, which is a 503, if that will not be soon. */
  run<Value>(caller: Caller, work: () => Promise<Value>): Promise<Value>;
  /** For work that ends with an event. Resolves with the function that releases the slot. */
  acquire(caller: Caller): Promise<() => void>;
  /** Whether work of this key would be refused now. */
  isFull(key: string): boolean;
  /** Whether another key waits that has nothing running, so that all slots are taken. */
  isWanted(key: string): boolean;
}

interface FairSchedulerOptions {
  /** Work that runs at the same time. */
  slots: number;
  slotsPerKey?: number;
  /** Only for keys that have nothing running, so that a few busy keys do not occupy everything. */
  reservedSlots?: number;
  waitingPerKey: number;
  waiting?: number;
  maxWaitMs?: number;
  /** What clients that are refused are told. */
  message?: string;
}

interface Waiting {
  start(): void;
  refuse(reason: string): void;
}

interface Key {
  running: number;
  /** In order of arrival. */
  waiting: Set<Waiting>;
}

const retryAfterSeconds = 5;

/**
 * The one scheduler of slow work: proofs, pictures, decoding, uploads, prints, downloads. Keys take turns, so a client that
 * asks for a thousand pictures delays others by one of them.
 *
 *   run(caller) ──┬─ a slot is free ───────────────▶ running ──▶ done
 *                 │                                     ▲
 *                 ├─ none is ──▶ waiting ── its turn ───┘
 *                 │                 │
 *                 │                 ├─ waited for maxWaitMs ───────────────┐
 *                 │                 ├─ the signal is aborted ──────────────┤
 *                 │                 ├─ too many wait, its key has most, ───┤
 *                 │                 │  and it is the newest of them        ▼
 *                 └─ too many of its key wait ──────────────────────────▶ refused
 */
export function createFairScheduler({
  slots,
  slotsPerKey = 1,
  reservedSlots = 0,
  waitingPerKey,
  waiting: maxWaiting = Number.POSITIVE_INFINITY,
  maxWaitMs = 30_000,
  message = 'The service is overloaded. Try again shortly.',
}: FairSchedulerOptions): FairScheduler {
  /** Keys with work that runs or waits, in the order of their turns. */
  const keys = new Map<string, Key>();
  let running = 0;
  let waiting = 0;

  const refusal = (reason: string) => new BusyError(message, { retryAfterSeconds, cause: new Error(reason) });

  function mayStart(key: Key): boolean {
    const free = slots - running;
    return free > 0 && key.running < slotsPerKey && (key.running === 0 || free > reservedSlots);
  }

  /** Returns the function that releases the slot. */
  function start(name: string, key: Key): () => void {
    running += 1;
    key.running += 1;
    putLast(name, key);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      running -= 1;
      key.running -= 1;
      putLast(name, key);
      startWaiting();
    };
  }

  /** Its next turn is after those of all others that wait now. */
  function putLast(name: string, key: Key): void {
    keys.delete(name);
    if (key.running > 0 || key.waiting.size > 0) keys.set(name, key);
  }

  function startWaiting(): void {
    // A key that starts one is visited again, after the others.
    for (const key of keys.values()) {
      if (running >= slots) return;
      const [first] = key.waiting;
      if (first && mayStart(key)) first.start();
    }
  }

  /** Among equally busy keys, the one whose turn is last: a key that arrives does not displace its equals. */
  function busiestKey(): Key | undefined {
    let busiest: Key | undefined;
    for (const key of keys.values())
      if (key.waiting.size > 0 && (!busiest || key.waiting.size >= busiest.waiting.size)) busiest = key;
    return busiest;
  }

  function wait(name: string, key: Key, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        waiting -= 1;
        key.waiting.delete(entry);
      };
      const entry: Waiting = {
        start() {
          leave();
          resolve(start(name, key));
        },
        refuse(reason) {
          leave();
          if (key.running === 0 && key.waiting.size === 0) keys.delete(name);
          reject(refusal(reason));
        },
      };
      const onAbort = () => entry.refuse('The client has disconnected');
      const timer = setTimeout(() => entry.refuse('It waited for too long'), maxWaitMs);
      signal?.addEventListener('abort', onAbort);
      key.waiting.add(entry);
      waiting += 1;
      if (waiting > maxWaiting) [...(busiestKey()?.waiting ?? [])].at(-1)?.refuse('Too much is waiting');
    });
  }

  async function acquire({ key: name, signal }: Caller): Promise<() => void> {
    if (signal?.aborted) throw refusal('The client has disconnected');
    const key = keys.get(name) ?? { running: 0, waiting: new Set() };
    if (key.waiting.size === 0 && mayStart(key)) return start(name, key);
    if (key.waiting.size >= waitingPerKey) throw refusal('Too much of this client is waiting');
    keys.set(name, key);
    return wait(name, key, signal);
  }

  return {
    acquire,
    async run(caller, work) {
      const release = await acquire(caller);
      try {
        return await work();
      } finally {
        release();
      }
    },
    isWanted(name) {
      for (const [other, key] of keys)
        if (other !== name && key.running === 0 && key.waiting.size > 0) return true;
      return false;
    },
    isFull(name) {
      const key = keys.get(name) ?? { running: 0, waiting: new Set() };
      if (key.waiting.size === 0 && mayStart(key)) return false;
      return (
        key.waiting.size >= waitingPerKey ||
        (waiting >= maxWaiting && key.waiting.size + 1 >= (busiestKey()?.waiting.size ?? 0))
      );
    },
  };
}
