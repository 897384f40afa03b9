import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { startLoad } from './steady-load.ts';

export interface Control {
  address: string;
  /** Starts to measure; called at the end, the answer is how long this machine made its slowest bare request wait. */
  measure(): () => Promise<number>;
  stop(): void;
}

/** A bare server that records nothing, asked beside the lane: what it takes too long for is the machine's doing. */
export async function startControl(): Promise<Control> {
  const port = await freePort();
  const script = fileURLToPath(new URL('../../bench/servers/bare-http.mjs', import.meta.url));
  const server = spawn(process.execPath, [script], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(server, 'message');
  const address = `http://127.0.0.1:${port}/`;
  return {
    address,
    measure() {
      const load = startLoad([address], 50);
      return async () => (await load.stop()).slowestMs;
    },
    stop: () => void server.kill(),
  };
}
