interface MergeOptions {
  /** A batch that would grow beyond this is left for the next one, unless it is the first. */
  maxItems: number;
  /** Merged batches that run at the same time. */
  maxRunning: number;
  /** Between the starts of two merged batches, so that more can gather. A batch that comes later than that runs at once. */
  pauseMs: number;
}

interface Waiting<Item> {
  items: Item[];
  resolve(left: Item[]): void;
  reject(error: unknown): void;
}

/**
 * Merges batches: while earlier ones run, or have only just started, new ones gather and then run together. `run` returns the
 * items that are left over; each caller gets back those of its own. After a run that failed, perhaps because it took too
 * long, the next ones are half as large; each that succeeds lets them grow again.
 */
export function mergeBatches<Item>(
  run: (items: Item[]) => Promise<Item[]>,
  { maxItems, maxRunning, pauseMs }: MergeOptions,
): (items: Item[]) => Promise<Item[]> {
  let waiting: Waiting<Item>[] = [];
  let running = 0;
  let startedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let limit = maxItems;

  function takeWaiting(): Waiting<Item>[] {
    let items = 0;
    let end = 0;
    for (const batch of waiting) {
      items += batch.items.length;
      if (end > 0 && items > limit) break;
      end += 1;
    }
    const taken = waiting.slice(0, end);
    waiting = waiting.slice(end);
    return taken;
  }

  async function runNext(): Promise<void> {
    const batches = takeWaiting();
    running += 1;
    startedAt = performance.now();
    try {
      const left = new Set(await run(batches.flatMap(({ items }) => items)));
      limit = Math.min(maxItems, 2 * limit);
      for (const { items, resolve } of batches)
        resolve(left.size === 0 ? [] : items.filter((item) => left.has(item)));
    } catch (error) {
      limit = Math.max(1, limit >> 1);
      for (const { reject } of batches) reject(error);
    } finally {
      running -= 1;
      start();
    }
  }

  function start(): void {
    if (timer) return;
    while (running < maxRunning && waiting.length > 0) {
      const leftMs = startedAt + pauseMs - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(() => {
          timer = undefined;
          start();
        }, leftMs);
        return;
      }
      void runNext();
    }
  }

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject });
      start();
    });
}
