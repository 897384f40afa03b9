import { LRUCache } from 'lru-cache';
import { openThread, type Thread } from '../../runtime/thread.ts';
import type { Log } from '../../telemetry/log.ts';
import { imageEtag } from '../image/image-thread.ts';
import type { Picture } from '../image/draw.ts';
import type { ProofRequest } from './proof-process-main.ts';
import type { Proof } from './prove.ts';

export interface Proofs {
  /** Rejects where too many wait, or where the process has ended. */
  prove(picture: Picture): Promise<Proof>;
  close(): Promise<void>;
}

/** A proof takes up to a second of processor time. */
const defaultMaxWaiting = 8;
const callTimeoutMs = 30_000;
const cachedProofs = 1_000;

/** Its memory is free again after this time without a proof. */
const defaultIdleMs = 60_000;

/** Proves in a background process, which starts with the first proof: most services rarely need it. */
export function openProofs(
  log: Log,
  { maxWaiting = defaultMaxWaiting, idleMs = defaultIdleMs } = {},
): Proofs {
  const cache = new LRUCache<string, Promise<Proof>>({ max: cachedProofs });
  let opening: Promise<Thread<ProofRequest>> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let waiting = 0;
  let isClosed = false;

  async function proveInProcess(picture: Picture): Promise<Proof> {
    if (isClosed) throw new Error('The proof process has exited');
    opening ??= openThread<ProofRequest>({
      file: new URL('proof-process-main.js', import.meta.url),
      data: undefined,
      name: 'proof',
      log,
      callTimeoutMs,
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
    prove(picture) {
      const key = provenPicture(picture);
      const known = cache.get(key);
      if (known) return known;
      if (waiting >= maxWaiting)
        return Promise.reject(new Error('Too many designs are waiting to be proven'));
      waiting += 1;
      clearTimeout(idleTimer);
      const proof = proveInProcess(picture).finally(() => {
        waiting -= 1;
        if (waiting === 0 && !isClosed) idleTimer = setTimeout(() => void end(), idleMs).unref();
      });
      cache.set(key, proof);
      proof.catch(() => cache.delete(key));
      return proof;
    },
    async close() {
      isClosed = true;
      await end();
    },
  };
}

/** Identifies what is drawn for a proof: the picture, whatever its size in pixels. */
export function provenPicture(picture: Picture): string {
  return imageEtag({ ...picture, size: 0 }, 'svg').replaceAll('"', '');
}
