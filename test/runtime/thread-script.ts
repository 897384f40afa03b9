import { spawn } from 'node:child_process';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export type Request =
  | { type: 'echo'; text: string }
  | { type: 'hang' }
  | { type: 'never' }
  | { type: 'about' }
  /** Loads a module that was not loaded before. */
  | { type: 'import' };

/** What `about` returns: where the request was handled. */
export interface About {
  pid: number;
  variables: string[];
}

export const builtRuntime = new URL('../../dist/src/runtime/', import.meta.url);
const insideThread = new URL('inside-thread.js', builtRuntime).href;
/** A process is killed whatever it does, so it sleeps; only a thread has to be stopped in the middle of a loop. */
const script = `import { isMainThread } from 'node:worker_threads';
import { handleRequests, signalReady } from ${JSON.stringify(insideThread)};
signalReady();
handleRequests(async (request) => {
  if (request.type === 'hang') for (;;) if (isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (request.type === 'never') return new Promise(() => {});
  if (request.type === 'about') return { pid: process.pid, variables: Object.keys(process.env) };
  if (request.type === 'import') return (await import('./later.mjs')).loaded;
  return request.text;
});`;

/** Writes a file for a thread, or a process, of the tests. The service must have been built. */
export async function writeThreadScript(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-thread-'));
  await chmod(folder, 0o755);
  const file = join(folder, 'main.mjs');
  await writeFile(file, script);
  await writeFile(join(folder, 'later.mjs'), "export const loaded = 'loaded';");
  return file;
}

/**
 * The limit of threads is per user, and root has none. Another user may not be allowed to read the checkout, hence the
 * capability.
 */
const asOtherUser =
  'setpriv --reuid 61234 --regid 61234 --clear-groups --inh-caps +dac_read_search --ambient-caps +dac_read_search';
const limits = {
  files: { command: 'ulimit -n 60', take: "openSync('/dev/null')", release: 'closeSync', launcher: '' },
  threads: {
    command: 'ulimit -p 24 2>/dev/null || ulimit -u 24',
    take: "new Worker('setInterval(() => undefined, 1_000)', { eval: true })",
    release: '(worker) => worker.terminate()',
    launcher: asOtherUser,
  },
};

/** Whether this machine lets us run a process with that limit. */
export const canLimit = (what: keyof typeof limits) =>
  process.platform !== 'win32' && (what === 'files' || process.getuid?.() === 0);

/**
 * Runs a module in a process that may have few files or threads, and returns what it prints. In it, `take()` uses all that are
 * left, `release()` gives them back, and `until(work)` repeats what fails.
 */
export async function runLimited(what: keyof typeof limits, module: string): Promise<string> {
  const { command, take, release, launcher } = limits[what];
  const start = `import { closeSync, openSync } from 'node:fs';
    import { Worker } from 'node:worker_threads';
    setTimeout(() => process.exit(1), 30_000).unref();
    const taken = [];
    function take() {
      try {
        for (;;) taken.push(${take});
      } catch {}
    }
    const release = () => Promise.all(taken.splice(0).map(${release}));
    async function until(work) {
      for (;;) {
        const value = await work().catch(() => undefined);
        if (value !== undefined) return value;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }\n`;
  const folder = await mkdtemp(join(tmpdir(), 'qrelay-limited-'));
  await chmod(folder, 0o755);
  const file = join(folder, 'main.mjs');
  await writeFile(file, start + module);
  const limited = spawn('sh', ['-c', `${command}; exec ${launcher} "$0" "$1"`, process.execPath, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return text(limited.stdout);
}
