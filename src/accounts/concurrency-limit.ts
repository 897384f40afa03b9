/** Lets a few run at once and a few more wait; the rest is refused. */
export interface Turns {
  /** Undefined where too many wait already, or where no turn came in time. Else, to be called when the turn is over. */
  take(): Promise<(() => void) | undefined>;
  /** Whether who asks now is refused. */
  isFull(): boolean;
}

interface TurnLimits {
  atOnce: number;
  mostWaiting: number;
  longestWaitMs: number;
}

export function createTurns({ atOnce, mostWaiting, longestWaitMs }: TurnLimits): Turns {
  const waiting = new Set<() => void>();
  let running = 0;

  function end(): void {
    running -= 1;
    const [next] = waiting;
    next?.();
  }

  function begin(): () => void {
    running += 1;
    let isOver = false;
    return () => {
      if (!isOver) end();
      isOver = true;
    };
  }

  const isFull = () => running >= atOnce && waiting.size >= mostWaiting;

  return {
    isFull,
    async take() {
      if (isFull()) return undefined;
      if (running < atOnce) return begin();
      return new Promise((resolve) => {
        const start = () => {
          clearTimeout(timer);
          waiting.delete(start);
          resolve(begin());
        };
        const timer = setTimeout(() => {
          waiting.delete(start);
          resolve(undefined);
        }, longestWaitMs);
        waiting.add(start);
      });
    },
  };
}
