import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { entryOf, exitedRunner, type Runner } from './runner.ts';

/** Garbage is collected in the same thread: helper threads would compete with redirects for cores. */
const nodeOptions = ['--single-threaded-gc', '--max-old-space-size=512'];

/** What it needs to start. Secrets, such as the address of the database, are not for it. */
const passedVariables = ['PATH', 'HOME', 'TMPDIR', 'NODE_ENV', 'THREADS_FROM_BUILD'];

/**
 * A process of its own, of low priority once it is ready, for work that would slow down this one even from a thread of low priority: threads of a process share
 * the helper threads of the garbage collector and the lock on its memory.
 */
export function startBackgroundProcess(file: URL): Runner {
  try {
    return runnerOf(spawnFile(file));
  } catch (error) {
    return exitedRunner((take) => setImmediate(take, error));
  }
}

function spawnFile(file: URL): ChildProcess {
  const { entry, args } = entryOf(file);
  return spawn(process.execPath, [...nodeOptions, fileURLToPath(entry), ...args], {
    env: Object.fromEntries(passedVariables.map((name) => [name, process.env[name]])),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
}

function runnerOf(child: ChildProcess): Runner {
  const { stdout, stderr } = child;
  // With too many open files there are no pipes, and the error is not followed by an exit.
  if (!stdout || !stderr) return exitedRunner((take) => child.on('error', take));
  const isRunning = () => child.exitCode === null && child.signalCode === null && child.connected;
  return {
    stdout,
    stderr,
    isRunning,
    send(message) {
      // The callback: a process that exits at this moment is an exit, and no error of ours.
      if (isRunning()) child.send(message as object, () => undefined);
    },
    onMessage: (take) => child.on('message', take as (message: unknown) => void),
    onError: (take) => child.on('error', take),
    onExit: (take) => child.on('close', take),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
