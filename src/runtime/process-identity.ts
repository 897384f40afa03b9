import { readFile, readlink } from 'node:fs/promises';

/**
 * Identifies a process even after its PID has been reused: PID, start time, boot ID of the machine and PID namespace.
 * Outside Linux only the PID is available.
 */
export async function processIdentity(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  const startTicks = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const digits = namespace.replaceAll(/\D/g, '');
  return `${pid}-${startTicks}-${boot.trim().replaceAll('-', '').slice(0, 12)}-${digits}`;
}

/** `unknown`: the process belongs to another container or machine, where its PID means nothing to us. */
export type Liveness = 'alive' | 'gone' | 'unknown';

export async function checkLiveness(identity: string, { sameHost = true } = {}): Promise<Liveness> {
  const [number = '', , boot, namespace] = identity.split('-');
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0) return 'gone';
  const own = (await processIdentity(process.pid)).split('-');
  // Earlier releases did not write the namespace; they compared host names.
  const isComparable =
    namespace === undefined || boot === '' ? sameHost : boot === own[2] && namespace === own[3];
  if (!isComparable) return 'unknown';
  if (!isAlive(pid)) return 'gone';
  const current = await processIdentity(pid);
  return current === identity || (namespace === undefined && current.startsWith(`${identity}-`))
    ? 'alive'
    : 'gone';
}

/** True also for a process of another user, which may not be signaled (EPERM). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
