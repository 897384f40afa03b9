import { readFile } from 'node:fs/promises';

/** A name for a process that no later one with the same number has. Outside Linux the number alone has to do. */
export async function identify(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const startTicks = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return `${pid}-${startTicks}-${boot.trim().replaceAll('-', '').slice(0, 12)}`;
}

/** Whether the process with this identity still runs. */
export async function isAlive(identity: string): Promise<boolean> {
  const pid = Number(identity.split('-')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return (await identify(pid)) === identity;
}
