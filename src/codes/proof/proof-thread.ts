import { LRUCache } from 'lru-cache';
import { openThread, type Thread } from '../../runtime/thread.ts';
import type { Log } from '../../telemetry/log.ts';
import { imageEtag } from '../image/image-thread.ts';
import type { Picture } from '../image/draw.ts';
import type { ProofRequest } from './proof-thread-main.ts';
import type { Proof } from './prove.ts';

export interface Proofs {
  /** Rejects where too many wait, or where the thread has ended. */
  prove(picture: Picture): Promise<Proof>;
  close(): Promise<void>;
}

/** A proof takes up to a second of processor time. */
const defaultMaxWaiting = 8;
const callTimeoutMs = 30_000;
const cachedProofs = 1_000;

/** Proves in a thread of low priority, which starts with the first proof: most processes never need it. */
export function openProofs(log: Log, { maxWaiting = defaultMaxWaiting } = {}): Proofs {
  const cache = new LRUCache<string, Promise<Proof>>({ max: cachedProofs });
  let opening: Promise<Thread<ProofRequest>> | undefined;
  let waiting = 0;
  let isClosed = false;

  async function proveInThread(picture: Picture): Promise<Proof> {
    if (isClosed) throw new Error('The proof thread has exited');
    opening ??= openThread<ProofRequest>({
      file: new URL('proof-thread-main.js', import.meta.url),
      data: undefined,
      name: 'proof',
      log,
      callTimeoutMs,
    });
    const thread = await opening;
    return (await thread.call({ picture })) as Proof;
  }

  return {
    prove(picture) {
      const key = provenPicture(picture);
      const known = cache.get(key);
      if (known) return known;
      if (waiting >= maxWaiting)
        return Promise.reject(new Error('Too many designs are waiting to be proven'));
      waiting += 1;
      const proof = proveInThread(picture).finally(() => {
        waiting -= 1;
      });
      cache.set(key, proof);
      proof.catch(() => cache.delete(key));
      return proof;
    },
    async close() {
      isClosed = true;
      const thread = await opening?.catch(() => undefined);
      await thread?.end();
    },
  };
}

/** Identifies what is drawn for a proof: the picture, whatever its size in pixels. */
export function provenPicture(picture: Picture): string {
  return imageEtag({ ...picture, size: 0 }, 'svg').replaceAll('"', '');
}
