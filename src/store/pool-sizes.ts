/** How many connections to Postgres a process may hold, for its own statements and, without Redis, for the queue. */
export const poolSizes = {
  web: { own: 10, queue: 2 },
  worker: { own: 6, queue: 6 },
} as const;
