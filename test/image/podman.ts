import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Images and containers of the tests only. Kept between runs: unchanged steps of the Dockerfile are not repeated. */
const storage = join(tmpdir(), 'qrelay-image');
const places = ['--root', join(storage, 'root'), '--runroot', join(storage, 'run')];
const global = [
  ...places,
  '--storage-driver',
  'overlay',
  '--cgroup-manager',
  'cgroupfs',
  '--events-backend',
  'file',
];

/** Runs podman and gives what it printed. */
export async function tryPodman(args: string[], { input }: { input?: Readable } = {}): Promise<Outcome> {
  mkdirSync(storage, { recursive: true });
  const child = spawn('podman', [...global, ...args], {
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    // Without systemd there is no timer for health checks; the tests run them.
    env: { ...process.env, DISABLE_HC_SYSTEMD: 'true' },
  });
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
