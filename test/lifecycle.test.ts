import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ensureBuilt } from './support/programs.ts';

const built = (path: string) => JSON.stringify(new URL(`../dist/src/${path}`, import.meta.url).href);

interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** A separate process without a supervisor. */
async function run(script: string): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-lifecycle-'));
  const file = join(folder, 'main.mjs');
  await writeFile(file, script);
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  await rm(folder, { recursive: true });
  return { code, signal, stdout, stderr };
}

describe('A process without a supervisor', () => {
  before(ensureBuilt);

  // The watchdog waits twice the limit.
  const ready = `import { announceReady } from ${built('lifecycle.js')};
announceReady({ hangLimitSeconds: 1.5 });`;

  it('kills itself when its event loop is blocked, and logs why', async () => {
    // Blocked without using the processor.
    const block = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000)';
    const { signal, stderr } = await run(`${ready} setTimeout(() => ${block}, 1_000);`);
    expect(signal).to.equal('SIGKILL');
    expect(JSON.parse(stderr))
      .to.include({ level: 60 })
      .and.to.have.property('msg')
      .that.contains('was blocked for 3 s');
  });

  it('is left alone while its event loop runs, and exits when it has nothing to do', async () => {
    const started = Date.now();
    const { code, stderr } = await run(`${ready} setTimeout(() => process.exit(7), 6_000);`);
    expect([code, stderr]).to.deep.equal([7, '']);
    expect(Date.now() - started).to.be.above(6_000);
    expect((await run(ready)).code).to.equal(0);
  });
});

describe('An uncaught error', () => {
  before(ensureBuilt);

  it('does not end the process, is logged and is counted', async () => {
    const { code, stdout } = await run(`import { surviveUncaughtErrors } from ${built('lifecycle.js')};
import { createLog } from ${built('telemetry/log.js')};
let count = 0;
surviveUncaughtErrors(createLog('test', 'info', { write: (line) => process.stdout.write(line) }), () => { count += 1; });
setTimeout(() => { throw new Error('thrown in a timer'); });
void Promise.reject(new Error('rejected'));
for (let time = 0; time < 100; time += 1) setImmediate(() => { throw new Error('again'); });
setTimeout(() => process.exit(count), 500);`);
    expect(code).to.equal(102);
    const lines = stdout.trim().split('\n');
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0] ?? '')).to.include({ level: 50, times: 1 });
  });
});
