import { expect } from 'chai';
import { createLog, createRecentErrors } from '../../src/telemetry/log.ts';
import { freePort } from '../support/free-port.ts';
import { outcomeOf, startProgram } from '../support/programs.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

/** Preloaded into the program: does what a library might do once the program runs. */
const library = (code: string) =>
  `data:text/javascript,${encodeURIComponent(`
    const send = process.send;
    process.send = (...args) => { setImmediate(() => { ${code} }); return send.apply(process, args); };
  `)}`;

describe('What Node and libraries print [processes]', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  async function run(file: string, code: string) {
    const child = startProgram(
      file,
      {
        PORT: String(await freePort()),
        DATABASE_URL: database.url,
        LOG_LEVEL: 'info',
        NODE_OPTIONS: `--import=${library(code)}`,
      },
      // With an IPC channel, as a supervisor starts it, so that it reports when it is ready.
      { hasParent: true },
    );
    const { code: exitCode, stdout, stderr } = await outcomeOf(child);
    const lines = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { exitCode, lines, stderr };
  }

  // A warning, a line on the console, and an error that nothing catches.
  const trouble = `process.emitWarning('an odd thing', 'OddWarning');
    console.warn('a %s of\\n two lines', 'text', Object.assign(new Error('no'), { detail: 'a secret' }));
    setImmediate(() => { throw Object.assign(new Error('thrown by a test'), { detail: 'a secret' }); });`;

  function expectWarnings(lines: Record<string, unknown>[]): void {
    expect(lines.find(({ msg }) => msg === 'an odd thing')).to.include({ level: 40, warning: 'OddWarning' });
    expect(lines.find(({ from }) => from === 'console')).to.include({
      level: 40,
      msg: 'a text of\n two lines no',
    });
  }

  it('goes to the log of a worker as JSON lines, without the fields of an error, and an uncaught one ends it', async () => {
    const { exitCode, lines, stderr } = await run('workers/main.js', trouble);
    expect(stderr).to.equal('');
    expect(exitCode).to.equal(1);
    expectWarnings(lines);
    const line = lines.find(({ msg }) => msg === 'uncaught exception');
    expect(line).to.include({ level: 60 });
    expect(JSON.stringify(line)).to.include('thrown by a test').and.not.include('a secret');
  });

  it('goes to the log of a web process as JSON lines, without the fields of an error, and an uncaught one does not end it', async () => {
    const { exitCode, lines, stderr } = await run(
      'src/server.js',
      `${trouble} setImmediate(() => setImmediate(() => process.kill(process.pid, 'SIGTERM')));`,
    );
    expect(stderr).to.equal('');
    expect(exitCode).to.equal(0);
    expectWarnings(lines);
    const line = lines.find(({ msg }) => String(msg).includes('uncaught error; the process keeps running'));
    expect(line).to.include({ level: 50 });
    expect(JSON.stringify(line)).to.include('thrown by a test').and.not.include('a secret');
  });
});

describe('The recent errors of a process', () => {
  function watchedLog() {
    const lines: string[] = [];
    const errors = createRecentErrors();
    return {
      lines,
      errors,
      log: createLog('test', 'info', errors.watch({ write: (line) => lines.push(line) })),
    };
  }

  it('are the warnings and errors that it logged, the latest first, each message once', () => {
    const { log, errors, lines } = watchedLog();
    log.info('not an error');
    log.warn({ times: 3 }, 'a replica failed');
    log.error(
      { err: Object.assign(new Error('select 1 - out of memory'), { code: '53200' }) },
      'request failed',
    );
    log.warn('a replica failed');
    expect(lines).to.have.length(4);
    const listed = errors.list();
    expect(listed.map(({ level, message, cause, times }) => [level, message, cause, times])).to.deep.equal([
      ['warning', 'a replica failed', '', 4],
      ['error', 'request failed', '53200: out of memory', 1],
    ]);
    for (const { lastAt } of listed) expect(new Date(lastAt).toISOString()).to.equal(lastAt);
  });

  it('are bounded in number and length, whatever is logged', () => {
    const { log, errors, lines } = watchedLog();
    for (let number = 0; number < 100; number += 1) log.error(`${number} ${'x'.repeat(1_000)}`);
    log.error({ err: new Error('y'.repeat(100_000)) }, 'too long to be parsed');
    expect(lines).to.have.length(101);
    const listed = errors.list();
    expect(listed).to.have.length(20);
    expect(listed[0]?.message)
      .to.match(/^99 x+$/)
      .and.to.have.length(300);
  });

  it('do not depend on lines that are no JSON', () => {
    const written: string[] = [];
    const errors = createRecentErrors();
    const destination = errors.watch({ write: (line) => written.push(line) });
    for (const line of ['{"level":50,broken', 'plain text', '']) destination.write(line);
    expect(written).to.have.length(3);
    expect(errors.list()).to.deep.equal([]);
  });
});
