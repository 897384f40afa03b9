import type { Database } from '../store/database.ts';
import { type Admission, admit, type RateWindow } from './authenticate.ts';
import type { ParsedApiKey } from './api-key-format.ts';
import { createKeyLookup, nameOf } from './key-lookup.ts';
import { createSpentWindows } from './spent-windows.ts';

export interface RateLimiter {
  /** Authenticates a key and takes one request from its window, or from the window of the (disguised) address. */
  admit(key: ParsedApiKey | undefined, address: string): Promise<Admission>;
}

/**
 * Remembers who is over the limit. A request from an address that is, with a key of which nothing is known, costs a part of
 * a read and no write: the key may be valid, and then it is served.
 */
export function createRateLimiter(db: Database): RateLimiter {
  const spentKeys = createSpentWindows<RateWindow>();
  const spentAddresses = createSpentWindows<RateWindow>();
  const keys = createKeyLookup(db);

  return {
    async admit(key, address) {
      const spentKey = key && spentKeys.recall(nameOf(key));
      if (spentKey) return refusal(spentKey);
      const spentAddress = spentAddresses.recall(address);
      if (spentAddress && !(key && (await keys.isValid(key)))) return refusal(spentAddress);

      const admission = await admit(db, key, address);
      const { ownerId, admitted, window } = admission;
      if (key && ownerId === undefined) keys.markInvalid(key);
      const [windows, caller] =
        key && ownerId !== undefined ? [spentKeys, nameOf(key)] : [spentAddresses, address];
      if (admitted) windows.forget(caller);
      else windows.remember(caller, window);
      return admission;
    },
  };
}

function refusal(window: RateWindow): Admission {
  return { ownerId: undefined, admitted: false, window };
}
