import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Images and containers of the tests only. Kept between runs, so that the base images are made once. */
const storage = join(tmpdir(), 'qrelay-image');
const places = `--root ${join(storage, 'root')} --runroot ${join(storage, 'run')} --storage-driver overlay`;
// There may be no systemd. runc, which the packages of Docker bring, does not run without cgroups.
const global = `${places} --runtime crun --cgroup-manager cgroupfs --events-backend file`.split(' ');

let namespace: Promise<string> | undefined;

/**
 * All commands run in one mount namespace of their own, without the second version of cgroups where the first is mounted
 * too: crun refuses to run with both, even if it is to use neither. It ends with this process.
 */
function openNamespace(): Promise<string> {
  namespace ??= (async () => {
    mkdirSync(storage, { recursive: true });
    const script = 'umount /sys/fs/cgroup/unified 2>/dev/null; echo ready; exec cat';
    const holder: ChildProcess = spawn('unshare', ['--mount', 'sh', '-c', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout as Readable, 'data');
    holder.unref();
    for (const pipe of [holder.stdin, holder.stdout] as Socket[]) pipe.unref();
    return String(holder.pid);
  })();
  return namespace;
}

/** Runs podman and gives what it printed. */
export async function tryPodman(args: string[], { input }: { input?: Readable } = {}): Promise<Outcome> {
  const child = spawn(
    'nsenter',
    ['--mount', '--target', await openNamespace(), 'podman', ...global, ...args],
    {
      stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // Without systemd there is no timer for health checks; the tests run them.
      env: { ...process.env, DISABLE_HC_SYSTEMD: 'true' },
    },
  );
  if (input && child.stdin) input.pipe(child.stdin);
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { ...outcome, code };
}

/** The same, for what must succeed. */
export async function podman(args: string[], options: { input?: Readable } = {}): Promise<string> {
  const { code, stdout, stderr } = await tryPodman(args, options);
  if (code !== 0) throw new Error(`podman ${args.join(' ')}\n${stdout}${stderr}`.slice(-8_000));
  return stdout.trim();
}
