import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { descendants } from '../support/process-tree.ts';

describe('A run of the tests [processes]', function () {
  this.timeout(90_000);

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`ends everything that it started when it gets ${signal}`, async () => {
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
      const { run, exited } = startRun([file]);
      const endless = await eventually(async () => Number(await readFile(started, 'utf8')), 60_000);
      const processes = [...descendants(run.pid as number), endless];
      expect(processes).to.have.length.above(3);
      run.kill(signal);
      const [code] = (await exited) as [number | null];
      expect(code).to.equal(signal === 'SIGINT' ? 130 : 143);
      await eventually(async () => expect(processes.filter(isRunning)).to.deep.equal([]));
      await rm(folder, { recursive: true });
    });

  it('starts no further check after SIGTERM', async () => {
    const { run, exited } = startRun([]);
    const pid = run.pid as number;
    // A check, beside mocha's main process.
    await eventually(() => expect(processesOf(pid).join()).to.match(/biome|oxlint|tsc|knip/), 60_000, 100);
    run.kill('SIGTERM');
    await exited;
    await eventually(() => expect(processesOf(pid)).to.deep.equal([]));
  });
});

/** With servers of its own: those of this run must go on. */
function startRun(args: string[]) {
  const { TEST_SERVERS: _, ...env } = process.env;
  const run = spawn(process.execPath, ['test/run.mjs', '--all', ...args], { env, stdio: 'ignore' });
  return { run, exited: once(run, 'exit') };
}

/** The command lines of all processes of a run, also of those whose parent has ended. */
function processesOf(pid: number): string[] {
  return readdirSync('/proc')
    .filter((name) => Number(name) > 0)
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`TEST_RUN=${pid}\0`)) return [];
        return [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
