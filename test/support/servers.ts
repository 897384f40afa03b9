import type { EmbeddedPostgres } from '../../src/store/embedded/server.ts';

interface Servers {
  postgres: EmbeddedPostgres;
  /** Absent where this machine has no Redis. */
  redisUrl: string | undefined;
}

let current: Servers | undefined;

export function setServers(started: Servers): void {
  current = started;
}

export function servers(): Servers {
  if (!current) throw new Error('The servers of the test run have not been started');
  return current;
}
