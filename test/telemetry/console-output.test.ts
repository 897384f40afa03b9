import { expect } from 'chai';
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
