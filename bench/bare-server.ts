import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/free-port.ts';

export async function startBare(script: string): Promise<{ url: string; process: ChildProcess }> {
  const port = await freePort();
  const path = fileURLToPath(new URL(`servers/${script}`, import.meta.url));
  const child = spawn(process.execPath, [path], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return { url: `http://127.0.0.1:${port}/r/aZ3kP9xQ2b`, process: child };
}
