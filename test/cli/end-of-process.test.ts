import { expect } from 'chai';
import { runQrelay } from '../support/programs.ts';
import { emptyRedisDatabase } from '../support/queue-engines.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

describe('qrelay, as a process of its own', () => {
  let database: TestDatabase;
  let redisUrl: string | undefined;
  before(async function () {
    redisUrl = await emptyRedisDatabase();
    if (!redisUrl) return this.skip();
    database = await createTestDatabase();
  });
  after(() => database?.drop());

  const onPostgres = () => ({ DATABASE_URL: database.url });
  const onRedis = () => ({ ...onPostgres(), REDIS_URL: redisUrl ?? '' });
  type Run = [args: string, settings: Record<string, string>, code: number];

  // What a command leaves open would keep its process.
  async function expectEnds(runs: Run[]): Promise<void> {
    const outcomes = await Promise.all(
      runs.map(async ([args, settings]) => {
        const { code, stderr } = await runQrelay(args.split(' '), settings);
        return { args, code, stack: /^\s+at /m.test(stderr) };
      }),
    );
    expect(outcomes).to.deep.equal(runs.map(([args, , code]) => ({ args, code, stack: false })));
  }

  it('ends by itself, with its exit code, with and without connections to the queue', async () => {
    await expectEnds([
      ['user admin --email nobody@example.com', onPostgres(), 1],
      ['queue failed', onPostgres(), 0],
      ['queue retry', onRedis(), 0],
    ]);
  });

  describe('for every kind of command [processes]', () => {
    it('ends by itself, with its exit code', async () => {
      await expectEnds([
        ['counters verify', onPostgres(), 0],
        ['scans dead', onPostgres(), 0],
        ['blocks', onPostgres(), 0],
        ['demo --scans 10', onPostgres(), 0],
      ]);
    });
  });
});
