import { spawnSync } from 'node:child_process';
import { readlink, realpath, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedFiles, readPostmaster } from './files.ts';
import { fastStopLimitMs } from './programs.ts';

/** Ends a server that an earlier run left behind when it was killed. The caller holds DATA_DIR: it can be nobody else's. */
export async function stopLeftoverServer(dataDir: string, signal?: AbortSignal): Promise<void> {
  const files = embeddedFiles(dataDir);
  const postmaster = await readPostmaster(dataDir);
  if (!postmaster || !isAlive(postmaster.pid)) return;
  if (!(await servesFolder(postmaster.pid, files.cluster))) {
    // After a restart of the machine the number belongs to another program, and PostgreSQL would not dare to start.
    await unlink(files.pid);
    return;
  }
  process.kill(postmaster.pid, 'SIGINT');
  const giveUpAt = Date.now() + fastStopLimitMs;
  while (await servesFolder(postmaster.pid, files.cluster)) {
    if (Date.now() > giveUpAt) process.kill(postmaster.pid, 'SIGQUIT');
    await sleep(50, undefined, { signal });
  }
}

/** A server works inside its folder. The number alone could be that of any program, another PostgreSQL included. */
async function servesFolder(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster);
  }
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return folder === (await realpath(cluster));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
