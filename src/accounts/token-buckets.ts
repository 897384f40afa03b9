import { LRUCache } from 'lru-cache';

interface Budget {
  left: number;
  filledAt: number;
}

/** So many an hour for each caller, all of them at once if need be. Lives in memory: refusing costs next to nothing. */
export interface RequestBudget {
  /** Milliseconds until the caller has one again, or 0 where it had one, which is spent now. */
  take(caller: string): number;
}

const hourMs = 3_600_000;

export function createRequestBudget(perHour: number, nowMs = () => performance.now()): RequestBudget {
  const budgets = new LRUCache<string, Budget>({ max: 50_000 });
  const msPerRequest = hourMs / perHour;
  return {
    take(caller) {
      const now = nowMs();
      const budget = budgets.get(caller) ?? { left: perHour, filledAt: now };
      const left = Math.min(perHour, budget.left + (now - budget.filledAt) / msPerRequest);
      const isSpent = left < 1;
      budgets.set(caller, { left: isSpent ? left : left - 1, filledAt: now });
      return isSpent ? Math.ceil((1 - left) * msPerRequest) : 0;
    },
  };
}
