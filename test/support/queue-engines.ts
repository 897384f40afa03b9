import { servers } from './servers.ts';

/** Runs the same tests with the queue on Postgres and on Redis; skipped, and counted as skipped, where there is no Redis. */
export function onBothQueues(title: string, tests: (redisUrl: () => string | undefined) => void): void {
  describe(`${title} (queue on Postgres)`, () => tests(() => undefined));
  describe(`${title} (queue on Redis)`, () => {
    before(function () {
      if (!servers().redisUrl) this.skip();
    });
    tests(() => servers().redisUrl);
  });
}
