import { readFile, readlink } from 'node:fs/promises';

/**
 * A name for a process that no later one with the same number has: its number, when it started, the boot of its
 * machine and its PID namespace. Outside Linux the number alone has to do.
 */
export async function processIdentity(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  const startTicks = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const digits = namespace.replaceAll(/\D/g, '');
  return `${pid}-${startTicks}-${boot.trim().replaceAll('-', '').slice(0, 12)}-${digits}`;
}

/** `unknown`: it is of another container or machine, and its number says nothing here. */
export type Liveness = 'alive' | 'gone' | 'unknown';

export async function checkLiveness(identity: string, { sameHost = true } = {}): Promise<Liveness> {
  const [number = '', , boot, namespace] = identity.split('-');
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0) return 'gone';
  const here = (await processIdentity(process.pid)).split('-');
  // Releases before namespaces were told apart wrote none, and judged by the host's name.
  const isComparable =
    namespace === undefined || boot === '' ? sameHost : boot === here[2] && namespace === here[3];
  if (!isComparable) return 'unknown';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  const now = await processIdentity(pid);
  return now === identity || (namespace === undefined && now.startsWith(`${identity}-`)) ? 'alive' : 'gone';
}
