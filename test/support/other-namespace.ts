import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child'];

/** Whether processes can be started in a PID namespace of their own, as a container has one: as root, on Linux. */
export function canUnshare(): boolean {
  const { status } = spawnSync('unshare', [...unshare, 'true']);
  if (status !== 0) console.log('      (only root on Linux, with util-linux, can make PID namespaces)');
  return status === 0;
}

export interface ForeignProcess {
  /** Ends it without a word. */
  kill(): Promise<void>;
}

/** Runs a module of its own in another PID namespace on this machine. Resolves with its first line of output. */
export async function startElsewhere(script: string, args: string[]): Promise<ForeignProcess> {
  const child: ChildProcess = spawn(
    'unshare',
    [...unshare, process.execPath, '--input-type=module', '-e', script, ...args],
    // util-linux complains there about a child that was killed.
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const isGone = once(child, 'exit').then(() =>
    Promise.reject(new Error('It ended before it said something')),
  );
  isGone.catch(() => undefined);
  await Promise.race([once(child.stdout as NonNullable<typeof child.stdout>, 'data'), isGone]);
  return {
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      for (const pid of childrenOf(child.pid ?? 0)) process.kill(pid, 'SIGKILL');
      await gone;
    },
  };
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}
