interface Servers {
  postgres: { url: string; superuserUrl: string };
  /** Absent where this machine has no Redis. */
  redisUrl?: string;
}

/** In the environment, because mocha's workers are processes of their own. */
const variable = 'TEST_SERVERS';

export function setServers(started: Servers): void {
  process.env[variable] = JSON.stringify(started);
}

export function hasServers(): boolean {
  return process.env[variable] !== undefined;
}

/** The Postgres and the Redis that all tests of a run share. */
export function servers(): Servers {
  const started = process.env[variable];
  if (!started) throw new Error('The servers of the test run have not been started');
  return JSON.parse(started) as Servers;
}
