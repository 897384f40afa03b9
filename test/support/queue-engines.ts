import { Redis } from 'ioredis';
import { servers } from './servers.ts';

let databases = 0;

/** Runs the same tests with the queue on Postgres and on Redis; skipped, and counted as skipped, where there is no Redis. */
export function onBothQueues(title: string, tests: (redisUrl: () => string | undefined) => void): void {
  describe(`${title} (queue on Postgres)`, () => tests(() => undefined));
  describe(`${title} (queue on Redis)`, () => {
    let url: string | undefined;
    before(async function () {
      const { redisUrl } = servers();
      if (!redisUrl) return this.skip();
      url = await emptyDatabase(redisUrl);
    });
    tests(() => url);
  });
}

/** Of the server's sixteen databases the next one, emptied: no test meets the jobs of another. */
async function emptyDatabase(redisUrl: string): Promise<string> {
  const url = new URL(redisUrl);
  url.pathname = `/${(databases += 1) % 16}`;
  const client = new Redis(url.href);
  await client.flushdb();
  client.disconnect();
  return url.href;
}
