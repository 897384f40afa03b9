import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { openThread, type Thread } from '../../src/runtime/thread.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { eventually } from '../support/eventually.ts';
import { ensureBuilt } from '../support/programs.ts';
import { type About, builtRuntime, type Request, writeThreadScript } from './thread-script.ts';

describe('A background process', () => {
  let file: string;
  let background: Thread<Request>;
  let lines: string[];

  before(async () => {
    await ensureBuilt();
    file = await writeThreadScript();
  });
  beforeEach(async () => {
    lines = [];
    background = await openThread<Request>({
      file: pathToFileURL(file),
      data: undefined,
      name: 'test',
      log: createLog('test', 'warn', { write: (line) => lines.push(line) }),
      inProcess: true,
    });
  });
  afterEach(() => background.end());

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
