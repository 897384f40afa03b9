import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Settings, unsetSettings } from '../support/programs.ts';
import type { FakedClock } from './faked-clock.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** From a start to the end of a process. */
export interface Lifetime {
  pid: number;
  /** Resident memory: milliseconds on the clock of the run, and bytes. */
  memory: { atMs: number; bytes: number }[];
}

/** A web or worker process that is killed, stopped and started again. */
export interface SoakProcess {
  name: string;
  clock: FakedClock | undefined;
  /** Where its metrics are. */
  metricsUrl: string;
  pid(): number;
  /** When it was killed, on the clock of `performance.now()`. */
  killedAt: number[];
  lifetimes: Lifetime[];
  /** Notes how much memory it uses. */
  sampleMemory(atMs: number): void;
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Ends it as a platform would. Resolves to its exit code. */
  shutDown(): Promise<number | null>;
}

interface SoakProcessOptions {
  name: string;
  program: 'src/server.js' | 'workers/main.js';
  settings: Settings;
  clock: FakedClock | undefined;
  metricsUrl: string;
  /** Where its output goes. */
  logFile: number | 'ignore';
}

export async function startSoakProcess({
  name,
  program,
  settings,
  clock,
  metricsUrl,
  logFile,
}: SoakProcessOptions): Promise<SoakProcess> {
  const lifetimes: Lifetime[] = [];
  let child = await begin();

  async function begin(): Promise<ChildProcess> {
    const started = spawn(process.execPath, [join(root, 'dist', program)], {
      cwd: root,
      env: { ...process.env, ...unsetSettings, ...settings, ...clock?.settings },
      stdio: ['ignore', logFile, logFile, 'ipc'],
    });
    const ready = await Promise.race([
      once(started, 'message').then(() => true),
      once(started, 'exit').then(() => false),
    ]);
    if (!ready) throw new Error(`${name} ended before it was ready`);
    lifetimes.push({ pid: started.pid ?? 0, memory: [] });
    return started;
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const gone = once(child, 'exit');
    child.kill(signal);
    const [code] = (await gone) as [number | null];
    return code;
  }

  const killedAt: number[] = [];
  return {
    name,
    clock,
    metricsUrl,
    pid: () => child.pid ?? 0,
    killedAt,
    lifetimes,
    sampleMemory(atMs) {
      try {
        const [, kilobytes] =
          /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
        if (kilobytes) lifetimes.at(-1)?.memory.push({ atMs, bytes: Number(kilobytes) * 1024 });
      } catch {
        // It is not running just now.
      }
    },
    async kill() {
      killedAt.push(performance.now());
      await end('SIGKILL');
    },
    async restart() {
      child = await begin();
    },
    shutDown: () => end('SIGTERM'),
  };
}
