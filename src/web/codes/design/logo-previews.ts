import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createKeyedLimit } from '../../../accounts/keyed-limit.ts';
import type { ImageDecoder } from '../../../codes/logo/image-decoder.ts';
import type { NewLogo } from '../../../codes/logo/stored-logo.ts';
import { BusyError } from '../../../errors.ts';
import { readLogo } from '../../api/read-logo.ts';

const cacheBytes = 4 * 1024 * 1024;

/** Logos that owners look at before they save them. A file is decoded once, not for each change of the design. */
export function createLogoPreviews(decoder: ImageDecoder) {
  const cache = new LRUCache<string, NewLogo>({
    maxSize: cacheBytes,
    sizeCalculation: ({ png }) => png.length,
  });
  // An account that tries many files must not keep the decoder from others.
  const turns = createKeyedLimit({ concurrency: 1, maxWaiting: 4, maxWaitMs: 10_000 });
  /** Throws a validation error with the reason for a file that is no logo. */
  return async (ownerId: string, file: Buffer): Promise<NewLogo> => {
    const key = createHash('sha256').update(`${ownerId}\n`).update(file).digest('base64url');
    const known = cache.get(key);
    if (known) return known;
    const leave = await turns.acquire(ownerId);
    if (!leave)
      throw new BusyError('Too many logos are being read. Try again shortly.', { retryAfterSeconds: 5 });
    const logo = await readLogo(decoder, ownerId, file).finally(leave);
    cache.set(key, logo);
    return logo;
  };
}
