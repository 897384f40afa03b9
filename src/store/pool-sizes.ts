/** How many PostgreSQL connections a process may open: for its own statements and, without Redis, for the queue. */
export const poolSizes = {
  /** `board`: opened when an operator visits the queue board. */
  web: { own: 10, queue: 2, board: 2 },
  /** `audit`: opened once a minute. */
  worker: { own: 6, queue: 6, audit: 1 },
} as const;
