import type { PlanLimits } from '../limits.ts';
import type { Database } from '../store/database.ts';
import type { ParsedApiKey } from './api-key-format.ts';
import { authenticate, type Authentication, type RateWindow } from './authenticate.ts';
import { cacheKeyOf, createKeyLookup } from './key-lookup.ts';
import { createOverLimitCache } from './over-limit-cache.ts';

export interface RateLimiter {
  /** Authenticates a key and counts one request against its limit, or against that of the (hashed) address. */
  check(key: ParsedApiKey | undefined, address: string): Promise<Authentication>;
}

/**
 * Remembers callers that are over the limit, so that refusing them again needs no write. An address over the limit may
 * still present a valid key, so unknown keys are looked up in batches.
 */
export function createRateLimiter(db: Database, limits: PlanLimits): RateLimiter {
  const keysOverLimit = createOverLimitCache<RateWindow>();
  const addressesOverLimit = createOverLimitCache<RateWindow>();
  const keys = createKeyLookup(db);

  return {
    async check(key, address) {
      const keyWindow = key && keysOverLimit.get(cacheKeyOf(key));
      if (keyWindow) return refusal(keyWindow);
      const addressWindow = addressesOverLimit.get(address);
      if (addressWindow && !(key && (await keys.isValid(key)))) return refusal(addressWindow);

      const authentication = await authenticate(db, key, address, limits);
      const { ownerId, isAllowed, window } = authentication;
      if (key && ownerId === undefined) keys.markInvalid(key);
      const [overLimit, caller] =
        key && ownerId !== undefined ? [keysOverLimit, cacheKeyOf(key)] : [addressesOverLimit, address];
      if (isAllowed) overLimit.delete(caller);
      else overLimit.set(caller, window);
      return authentication;
    },
  };
}

function refusal(window: RateWindow): Authentication {
  return { ownerId: undefined, isBlocked: false, isAllowed: false, window };
}
