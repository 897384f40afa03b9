/**
 * Merges batches: while earlier ones run, or have only just started, new ones gather and then run together. `run` returns the items that are left over; each caller gets back those of its own.
 */
export function mergeBatches(run, { maxItems, maxRunning, pauseMs }) {
  let waiting = [];
  let running = 0;
  let startedAt = Number.NEGATIVE_INFINITY;
  let timer;
  function takeWaiting() {
    let items = 0;
    let end = 0;
    for (const batch of waiting) {
      items += batch.items.length;
      if (end > 0 && items > maxItems) break;
      end += 1;
    }
    const taken = waiting.slice(0, end);
    waiting = waiting.slice(end);
    return taken;
  }
  async function runNext() {
    const batches = takeWaiting();
    running += 1;
    startedAt = performance.now();
    try {
      const left = new Set(await run(batches.flatMap(({ items }) => items)));
      for (const { items, resolve } of batches)
        resolve(left.size === 0 ? [] : items.filter((item) => left.has(item)));
    } catch (error) {
      for (const { reject } of batches) reject(error);
    } finally {
      running -= 1;
      start();
    }
  }
  function start() {
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
//# sourceMappingURL=merge-batches.js.map
