import { LRUCache } from 'lru-cache';
import { type Caller, createFairScheduler } from '../../runtime/fair-scheduler.ts';
import { openThread, type Thread } from '../../runtime/thread.ts';
import type { Log } from '../../telemetry/log.ts';
import { imageEtag } from '../image/image-thread.ts';
import type { Picture } from '../image/draw.ts';
import type { ProofRequest } from './proof-process-main.ts';
import type { Proof } from './proof.ts';

export interface Proofs {
  /** Rejects if too many calls wait or the process has exited. */
  prove(caller: Caller, picture: Picture): Promise<Proof>;
  close(): Promise<void>;
}

/** A proof takes up to a second of processor time. */
const defaultWaitingPerKey = 8;
const maxWaiting = 100;
const cachedProofs = 1_000;

/** The idle process exits to free its memory. */
const defaultIdleMs = 60_000;

/** Proves in a background process that starts with the first proof. One at a time; accounts take turns. */
export function openProofs(
  log: Log,
  { waitingPerKey = defaultWaitingPerKey, idleMs = defaultIdleMs } = {},
): Proofs {
  const cache = new LRUCache<string, Proof>({ max: cachedProofs });
  const turns = createFairScheduler({
    slots: 1,
    waitingPerKey,
    waiting: maxWaiting,
    message: 'The design cannot be proven right now. Try again shortly.',
  });
  let opening: Promise<Thread<ProofRequest>> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let underWay = 0;
  let isClosed = false;

  async function proveInProcess(picture: Picture): Promise<Proof> {
    if (isClosed) throw new Error('The proof process has exited');
    opening ??= openThread<ProofRequest>({
      file: new URL('proof-process-main.js', import.meta.url),
      data: undefined,
      name: 'proof',
      log,
      inProcess: true,
    });
    const background = await opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return (await background.call({ picture })) as Proof;
  }

  async function end(): Promise<void> {
    clearTimeout(idleTimer);
    const background = opening;
    opening = undefined;
    await (await background?.catch(() => undefined))?.end();
  }

  return {
    async prove(caller, picture) {
      const key = provenPicture(picture);
      const known = cache.get(key);
      if (known) return known;
      underWay += 1;
      clearTimeout(idleTimer);
      try {
        // Checked again when it is the caller's turn, because another caller may have proven it.
        return await turns.run(caller, async () => {
          const proof = cache.get(key) ?? (await proveInProcess(picture));
          cache.set(key, proof);
          return proof;
        });
      } finally {
        underWay -= 1;
        if (underWay === 0 && !isClosed) idleTimer = setTimeout(() => void end(), idleMs).unref();
      }
    },
    async close() {
      isClosed = true;
      await end();
    },
  };
}

/** Identifies the proven picture, regardless of its size in pixels. */
export function provenPicture(picture: Picture): string {
  return imageEtag({ ...picture, size: 0 }, 'svg').replaceAll('"', '');
}
