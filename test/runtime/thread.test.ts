import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { openThread, type Thread } from '../../src/runtime/thread.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { ensureBuilt } from '../support/programs.ts';
import {
  type About,
  builtRuntime,
  canLimit,
  type Request,
  runLimited,
  writeThreadScript,
} from './thread-script.ts';

for (const kind of ['thread', 'process'] as const)
  describe(`Code in a ${kind}`, () => {
    /** A process of low priority takes seconds to start on a busy machine, which counts. */
    const hangLimitMs = kind === 'process' ? 5_000 : 2_000;
    let file: string;
    let thread: Thread<Request> | undefined;
    let lines: string[];

    before(async () => {
      await ensureBuilt();
      file = await writeThreadScript();
    });
    afterEach(async () => {
      await thread?.end();
      thread = undefined;
    });

    async function open(limits: { callTimeoutMs?: number; hangLimitMs?: number }): Promise<Thread<Request>> {
      lines = [];
      thread = await openThread<Request>({
        file: pathToFileURL(file),
        inProcess: kind === 'process',
        data: undefined,
        name: 'test',
        log: createLog('test', 'warn', { write: (line) => lines.push(line) }),
        ...limits,
      });
      return thread;
    }

    const failure = (call: Promise<unknown>) =>
      call.then(
        () => 'resolved',
        (error: unknown) => (error as Error).message,
      );

    it('that hangs in a loop is replaced, and its pending calls are rejected', async () => {
      const opened = await open({ callTimeoutMs: 60_000, hangLimitMs });
      const [hung, behind] = [opened.call({ type: 'hang' }), opened.call({ type: 'echo', text: 'behind' })];
      expect(await Promise.all([failure(hung), failure(behind)])).to.deep.equal([
        `The test ${kind} has exited`,
        `The test ${kind} has exited`,
      ]);
      const again = () => opened.call({ type: 'echo', text: 'again' });
      await eventually(async () => expect(await failure(again())).to.equal('resolved'));
      expect(await again()).to.equal('again');
      expect(lines.join('')).to.contain(`the test ${kind} hangs`);
    });

    it('rejects a call that gets no response in time, and keeps one that still responds to pings', async () => {
      const opened = await open({ callTimeoutMs: 200, hangLimitMs });
      expect(await failure(opened.call({ type: 'never' }))).to.equal(
        `The test ${kind} did not respond in time`,
      );
      const startedAt = Date.now();
      await eventually(async () => {
        expect(await opened.call({ type: 'echo', text: 'still' })).to.equal('still');
        expect(Date.now() - startedAt).to.be.above(1.5 * hangLimitMs);
      });
      expect(lines).to.deep.equal([]);
    });

    const run = (limited: 'files' | 'threads', body: string) =>
      runLimited(
        limited,
        `import { openThread } from ${JSON.stringify(new URL('thread.js', builtRuntime).href)};
        const log = { info() {}, warn() {}, error() { console.log('failed'); } };
        const file = new URL(${JSON.stringify(pathToFileURL(file).href)});
        const open = () => openThread({ file, name: 'test', log, inProcess: ${kind === 'process'} });
        const print = (call) => call.then(console.log, ({ message }) => console.log(message));
        ${body}
        await thread.end();`,
      );

    // A process of its own has limits of its own.
    for (const lack of kind === 'thread' ? (['files', 'threads'] as const) : (['files'] as const))
      it(`that cannot be started for lack of ${lack} is started when there are some again`, async function () {
        if (!canLimit(lack)) return this.skip();
        const output = await run(
          lack,
          `take();
          const thread = await open();
          await print(thread.call({ type: 'echo', text: 'too early' }));
          // Restarts fail too.
          await new Promise((resolve) => setTimeout(resolve, 500));
          await release();
          console.log(await until(() => thread.call({ type: 'echo', text: 'started' })));`,
        );
        expect(output).to.match(
          /^failed\n(?:failed\n)*The test \w+ has exited\nfailed\n(?:failed\n)*started\n$/,
        );
      });

    if (kind === 'process') return;

    it('that could not load a module is started again, because Node.js remembers the failure', async function () {
      if (!canLimit('files')) return this.skip();
      const output = await run(
        'files',
        `const thread = await open();
        take();
        await print(thread.call({ type: 'import' }));
        await release();
        console.log(await until(() => thread.call({ type: 'import' })));`,
      );
      expect(output).to.match(/^EMFILE: .*\n(?:failed\n)*loaded\n$/);
    });
  });

describe('A background process', () => {
  let file: string;
  let background: Thread<Request>;
  let lines: string[] = [];

  before(async () => {
    await ensureBuilt();
    file = await writeThreadScript();
    background = await openThread<Request>({
      file: pathToFileURL(file),
      data: undefined,
      name: 'test',
      log: createLog('test', 'warn', { write: (line) => lines.push(line) }),
      inProcess: true,
    });
  });
  beforeEach(() => {
    lines = [];
  });
  after(() => background.end());

  const about = async () => (await background.call({ type: 'about' })) as About;

  it('gets no variable of ours that may contain a secret', async () => {
    const { pid, variables } = await about();
    expect(pid).to.not.equal(process.pid);
    const allowed = ['PATH', 'HOME', 'TMPDIR', 'NODE_ENV', 'THREADS_FROM_BUILD', 'NODE_CHANNEL_FD'];
    expect(
      variables.filter((name) => !allowed.includes(name) && !name.startsWith('NODE_CHANNEL_')),
    ).to.deep.equal([]);
  });

  it('has a lower priority than we have, with all its threads', async function () {
    if (!existsSync('/proc/self/stat')) return this.skip();
    const { pid } = await about();
    const threads = readdirSync(`/proc/${pid}/task`);
    expect(threads).to.have.length.above(1);
    for (const thread of threads)
      expect(niceness(`/proc/${pid}/task/${thread}`)).to.equal(niceness('/proc/self') + 10);
  });

  it('goes on when a signal for the whole service reaches it too: its parent may still need it', async () => {
    const { pid } = await about();
    process.kill(pid, 'SIGINT');
    process.kill(pid, 'SIGTERM');
    expect((await about()).pid).to.equal(pid);
    expect(lines).to.deep.equal([]);
  });

  it('that was killed is started again', async () => {
    const { pid } = await about();
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect((await about()).pid).to.not.equal(pid));
    expect(lines.join('')).to.contain('the test process exited; starting it again');
  });

  it('ends when its parent is killed', async () => {
    const script = `import { openThread } from ${JSON.stringify(new URL('thread.js', builtRuntime).href)};
      const log = { info() {}, warn() {}, error() {} };
      const file = new URL(${JSON.stringify(pathToFileURL(file).href)});
      const background = await openThread({ file, name: 'test', log, inProcess: true });
      console.log((await background.call({ type: 'about' })).pid);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(String(output));
    expect(isRunning(pid)).to.equal(true);
    parent.kill('SIGKILL');
    await eventually(() => expect(isRunning(pid)).to.equal(false));
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The nineteenth field, as in proc(5). The second one, a name, may contain spaces. */
function niceness(folder: string): number {
  const fromThird = readFileSync(`${folder}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fromThird[19 - 3]);
}
