/**
 * How many connections to Postgres a process may hold, for its own statements and, without Redis, for the queues. A
 * worker's connections for the queues depend on their concurrency: see `workerPoolSize`.
 */
export const poolSizes = {
  /** The board's connections are opened when an operator visits it. */
  web: { own: 10, queue: 2, board: 2 },
  /** The audit's connection is opened once a minute. */
  worker: { own: 6, audit: 1 },
} as const;
