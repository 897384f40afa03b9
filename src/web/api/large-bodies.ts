import type { Context, Next } from 'koa';
import { createConcurrencyLimit } from '../../accounts/concurrency-limit.ts';
import { createKeyedLimit } from '../../accounts/keyed-limit.ts';
import { BusyError } from '../../errors.ts';

const wait = { maxWaiting: 20, maxWaitMs: 10_000 };

/**
 * Bounds the memory that large bodies take: 8 of them are read and processed at the same time, and 2 of one account, so
 * that an account which sends slowly does not keep others waiting.
 */
export function limitLargeBodies() {
  const accounts = createKeyedLimit({ concurrency: 2, ...wait });
  const all = createConcurrencyLimit({ concurrency: 8, ...wait });
  return async (ctx: Context, next: Next): Promise<void> => {
    const leaveAccount = await accounts.acquire(String(ctx.state['ownerId']));
    if (!leaveAccount) throw busy();
    try {
      const leave = await all.acquire();
      if (!leave) throw busy();
      await next().finally(leave);
    } finally {
      leaveAccount();
    }
  };
}

function busy(): BusyError {
  return new BusyError('Too many large requests are being processed. Try again shortly.', {
    retryAfterSeconds: 5,
  });
}
