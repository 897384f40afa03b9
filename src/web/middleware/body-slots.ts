import type { Context, Next } from 'koa';
import { createConcurrencyLimit } from '../../accounts/concurrency-limit.ts';
import { createKeyedLimit } from '../../accounts/keyed-limit.ts';
import { BusyError } from '../../errors.ts';

const wait = { maxWaiting: 20, maxWaitMs: 10_000 };

/** Bounds the memory that large bodies take. */
export interface BodySlots {
  /** Receives and processes a body when it is its turn, or throws a 503. */
  run(ownerId: string, work: () => Promise<void>): Promise<void>;
}

/** Each account has few of them, so that one which sends slowly does not keep others waiting. */
export function createBodySlots({ perAccount, total }: { perAccount: number; total: number }): BodySlots {
  const accounts = createKeyedLimit({ concurrency: perAccount, ...wait });
  const all = createConcurrencyLimit({ concurrency: total, ...wait });
  return {
    async run(ownerId, work) {
      const leaveAccount = await accounts.acquire(ownerId);
      if (!leaveAccount) throw busy();
      try {
        const leave = await all.acquire();
        if (!leave) throw busy();
        await work().finally(leave);
      } finally {
        leaveAccount();
      }
    },
  };
}

/** For operations of the API, after authentication. */
export function holdSlot(slots: BodySlots) {
  return (ctx: Context, next: Next): Promise<void> => slots.run(String(ctx.state['ownerId']), next);
}

function busy(): BusyError {
  return new BusyError('Too many large requests are being processed. Try again shortly.', {
    retryAfterSeconds: 5,
  });
}
