import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { jsonLines } from '../support/json-lines.ts';
import { outcomeOf, runQrelay, type Settings, startProgram } from '../support/programs.ts';
import { type RedisServer, startOwnRedis } from '../support/redis-server.ts';
import { createBareDatabase, createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** Preloaded: prints in every thread from its start, and in the main thread at a signal, as a library might. */
const noisyLibrary = `data:text/javascript,${encodeURIComponent(`
  import { threadId } from 'node:worker_threads';
  const print = () => {
    console.log('printed in thread %d,\\non two lines', threadId);
    process.emitWarning('a warning in thread ' + threadId);
  };
  if (threadId === 0) process.on('SIGUSR2', print);
  else print();
`)}`;

/** What makes Node and libraries print something: warnings at startup, deprecations, a Redis that they complain about. */
const awkward: Settings = {
  LOG_LEVEL: 'info',
  NODE_OPTIONS: `--pending-deprecation --import=${noisyLibrary}`,
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  OTEL_TRACES_SAMPLER: 'always_on',
};

describe('Every line that a process writes in production is JSON [processes]', function () {
  this.timeout(120_000);
  let folder: string;
  let database: TestDatabase;
  let redis: RedisServer | undefined;

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'qrelay-output-'));
    database = await createTestDatabase();
    redis = await startOwnRedis(folder, await freePort(), ['--maxmemory-policy', 'allkeys-lru']);
    if (!redis) return this.skip();
    // ioredis prints "Skipping the ready check" for a user that may not run INFO.
    const admin = new Redis(redis.url);
    await admin.call('ACL', 'SETUSER', 'limited', 'on', '>pass', '~*', '&*', '+@all', '-info');
    admin.disconnect();
  });
  after(async () => {
    await redis?.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const redisAs = (login: string) => redis?.url.replace('redis://', `redis://${login}`) ?? '';

  /** Runs it until it is ready and has written a line that contains each of these, and parses all that it wrote. */
  async function linesOf(child: ChildProcess, ready: string, expected: string[]) {
    let stdout = '';
    child.stdout?.on('data', (text: Buffer) => {
      stdout += text.toString();
    });
    const outcome = outcomeOf(child);
    try {
      await eventually(() => expect(stdout).to.include(`"msg":"${ready}"`));
      child.kill('SIGUSR2');
      await eventually(() => {
        expect(stdout).to.include('printed in thread 0').and.include('a warning in thread 0');
        for (const part of expected) expect(stdout).to.include(part);
      });
    } finally {
      child.kill('SIGTERM');
    }
    const { stdout: all, stderr } = await outcome;
    expect(stderr).to.equal('');
    return jsonLines(all);
  }

  const settings = async (others: Settings) => ({
    ...awkward,
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
    ...others,
  });

  it('by a web process, in each of its threads', async () => {
    const child = startProgram('src/server.js', await settings({ REDIS_URL: redisAs('limited:pass@') }));
    const lines = await linesOf(child, 'listening', ['Skipping the ready check']);
    // The watchdog has nothing to log to.
    const threads = new Set(lines.filter(({ msg }) => msg === 'on two lines').map(({ from }) => from));
    expect(threads).to.include('image thread');
  });

  it('by a worker process', async () => {
    const child = startProgram('workers/main.js', await settings({ REDIS_URL: redis?.url ?? '' }));
    await linesOf(child, 'working', ['Eviction policy']);
  });

  it('by processes that cannot reach their queue', async () => {
    const REDIS_URL = redisAs('nobody:wrong@');
    for (const [file, ready] of [
      ['src/server.js', 'listening'],
      ['workers/main.js', 'working'],
    ] as const) {
      const child = startProgram(file, await settings({ REDIS_URL }));
      await linesOf(child, ready, ['WRONGPASS']);
    }
  });

  it('by a web process that cannot reach its database: it listens, and says why it is not ready', async () => {
    const DATABASE_URL = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
    const child = startProgram('src/server.js', await settings({ DATABASE_URL }));
    await linesOf(child, 'listening', ['The database cannot be reached (ECONNREFUSED). Start it, or set']);
  });

  it('by processes that cannot start: one line that says why', async () => {
    const unreachable = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
    const cases: [file: string, name: string, change: Settings, reason: RegExp][] = [
      [
        'src/server.js',
        'web',
        { PORT: 'http', LOG_LEVEL: 'loud' },
        /^The environment has 2 errors:\n {2}- PORT/,
      ],
      [
        'workers/main.js',
        'worker',
        { DATABASE_URL: unreachable },
        /^The database cannot be reached \(ECONNREFUSED\)/,
      ],
      ['workers/main.js', 'worker', { DATABASE_URL: '' }, /^DATABASE_URL is not set/],
    ];
    for (const [file, name, change, reason] of cases) {
      const child = startProgram(file, await settings({ NODE_OPTIONS: '', ...change }));
      const { code, stdout, stderr } = await outcomeOf(child);
      expect([code, stderr]).to.deep.equal([1, '']);
      const failure = jsonLines(stdout).at(-1);
      expect(failure).to.include({ level: 60, name });
      expect(failure?.['msg']).to.match(reason);
    }
  });

  it('by the release command of the Procfile', async () => {
    const bare = await createBareDatabase();
    const migrate = (url: string) => runQrelay(['migrate', '--json'], { ...awkward, DATABASE_URL: url });
    const { code, stdout, stderr } = await migrate(bare.url);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(jsonLines(stdout).some(({ msg }) => /^Applied 0001-.*\.$/.test(String(msg)))).to.equal(true);
    const failed = await migrate(`postgres://nobody@127.0.0.1:${await freePort()}/none`);
    expect([failed.code, failed.stderr]).to.deep.equal([1, '']);
    expect(jsonLines(failed.stdout).at(-1)).to.include({ level: 60, name: 'release' });
    await bare.drop();
  });
});
