import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { descendants } from '../support/process-tree.ts';

describe('A run of the tests [processes]', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`ends everything that it started when it gets ${signal}`, async function () {
      this.timeout(90_000);
      const folder = await mkdtemp(join(tmpdir(), 'qrelay-run-'));
      const started = join(folder, 'started');
      const file = join(folder, 'endless.test.mjs');
      // A test that waits, beside a process that it started and that survives its parent.
      await writeFile(
        file,
        `import { spawn } from 'node:child_process';
        import { writeFileSync } from 'node:fs';
        it('never ends', function (done) {
          this.timeout(0);
          const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
          writeFileSync(${JSON.stringify(started)}, String(child.pid));
        });`,
      );
      // Servers of its own: those of this run must go on.
      const { TEST_SERVERS: _, ...env } = process.env;
      const run = spawn(process.execPath, ['test/run.mjs', file], { env, stdio: 'ignore' });
      const exited = once(run, 'exit');
      const endless = await eventually(async () => Number(await readFile(started, 'utf8')), 60_000);
      const processes = [...descendants(run.pid as number), endless];
      expect(processes).to.have.length.above(3);
      run.kill(signal);
      const [code] = (await exited) as [number | null];
      expect(code).to.equal(signal === 'SIGINT' ? 130 : 143);
      await eventually(async () => expect(processes.filter(isRunning)).to.deep.equal([]));
      await rm(folder, { recursive: true });
    });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
