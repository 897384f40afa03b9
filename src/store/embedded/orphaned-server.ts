import { spawnSync } from 'node:child_process';
import { readlink, realpath, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../runtime/process-identity.ts';
import { embeddedFiles, readPostmaster } from './files.ts';
import { fastStopLimitMs } from './programs.ts';

/** Stops a server that an earlier run left behind when it was killed. The caller holds the claim on DATA_DIR. */
export async function stopOrphanedServer(dataDir: string, signal?: AbortSignal): Promise<void> {
  const files = embeddedFiles(dataDir);
  const postmaster = await readPostmaster(dataDir);
  if (!postmaster || !isAlive(postmaster.pid)) return;
  if (!(await servesFolder(postmaster.pid, files.cluster))) {
    // The PID has been reused, for example after a reboot. PostgreSQL would refuse to start while the file is there.
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

/** Checks the working directory, which is the server's data folder. The PID alone could belong to any program. */
async function servesFolder(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(cluster);
  }
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return folder === (await realpath(cluster));
}
