import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Outcome, outcomeOf, type Settings, unsetSettings } from '../support/programs.ts';
import { testLogFile } from '../support/test-log.ts';

/** A web or worker process that is replaced by the same program of another release. */
export interface ReleaseProcess {
  /** Ends the running one as a platform would, then starts the program of that release and waits until it is ready. */
  replace(folder: string): Promise<void>;
  /** Kills it. */
  kill(): Promise<void>;
}

export async function startReleaseProcess(
  folder: string,
  program: 'src/server.js' | 'workers/main.js',
  settings: Settings,
): Promise<ReleaseProcess> {
  let child = await begin(folder);

  async function begin(release: string): Promise<ChildProcess> {
    const started = spawn(process.execPath, [join(release, 'dist', program)], {
      cwd: release,
      env: { ...process.env, ...unsetSettings, ...settings },
      stdio: ['ignore', testLogFile ?? 'ignore', 'inherit', 'ipc'],
    });
    const ready = await Promise.race([
      once(started, 'message').then(() => true),
      once(started, 'exit').then(() => false),
    ]);
    if (!ready) throw new Error(`${program} of ${release} ended before it was ready`);
    return started;
  }

  return {
    async replace(release) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await gone) as [number | null];
      expect(code, `exit code of ${program}`).to.equal(0);
      child = await begin(release);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Runs `qrelay …` of a release. Throws if it fails. */
export async function qrelay(folder: string, args: string[], settings: Settings): Promise<Outcome> {
  const child = spawn(process.execPath, [join(folder, 'dist', 'src', 'cli.js'), ...args], {
    cwd: folder,
    env: { ...process.env, ...unsetSettings, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const outcome = await outcomeOf(child);
  expect(outcome.code, `qrelay ${args.join(' ')}: ${outcome.stderr}`).to.equal(0);
  return outcome;
}
