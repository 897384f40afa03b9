/** How many connections to Postgres a process may hold, for its own statements and, without Redis, for the queue. */
export const poolSizes = {
  /** Those of the board are opened when an operator visits it. */
  web: { own: 10, queue: 2, board: 2 },
  /** The one of the audit is opened once a minute. */
  worker: { own: 6, queue: 6, audit: 1 },
} as const;
