import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ImageDecoder } from '../../../codes/files/image-decoder.ts';
import type { NewLogo } from '../../../codes/logo/stored-logo.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';

const cacheBytes = 4 * 1024 * 1024;

/** Logos that owners look at before they save them. A file is decoded once, not for each change of the design. */
export function createLogoPreviews(decoder: ImageDecoder) {
  const cache = new LRUCache<string, NewLogo>({
    maxSize: cacheBytes,
    sizeCalculation: ({ png }) => png.length,
  });
  /** Throws a validation error with the reason for a file that is no logo. */
  return async (caller: Caller, ownerId: string, file: Buffer): Promise<NewLogo> => {
    const key = createHash('sha256').update(`${ownerId}\n`).update(file).digest('base64url');
    const known = cache.get(key);
    if (known) return known;
    const logo = await readLogo(decoder, caller, ownerId, file);
    cache.set(key, logo);
    return logo;
  };
}
