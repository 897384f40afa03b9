import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the range from which the system takes the ports of outgoing connections: one of those could take the port before
 * the program it was meant for does. Each of mocha's workers has a range of its own.
 */
const first = 20_000 + 2_000 * (Number(process.env['MOCHA_WORKER_ID'] ?? 0) % 6);
const count = 2_000;
let next = process.pid % count;
let lasting = process.pid % 7_000;

export async function freePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % count;
    const port = first + next;
    if (await isFree(port)) return port;
  }
}

/**
 * For a server that is stopped and started again on its port: from a range that nothing else takes ports from, such as
 * another run of the tests.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    lasting = (lasting + 1) % 7_000;
    const port = 12_000 + lasting;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
    return true;
  } catch {
    return false;
  }
}
