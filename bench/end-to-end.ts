import { setTimeout as sleep } from 'node:timers/promises';
import { openQueueClient } from '../src/queue/queue-client.ts';
import { scanQueue } from '../src/queue/scan-queue.ts';
import { waitUntilReady } from '../src/queue/wait-until-ready.ts';
import { createLog } from '../src/telemetry/log.ts';
import { startFixture } from '../test/support/fixture.ts';
import { measure } from './client.ts';
import { memoryMb, round } from './figures.ts';

const seconds = 15;

/** Client, web, queue, worker and database on one machine, at the lane's full rate. */
export async function benchEndToEnd() {
  const fixture = await startFixture();
  const code = await fixture.makeCode();
  const queue = openQueueClient({ place: fixture.place, log: createLog('bench', 'silent') });
  await waitUntilReady(queue);
  const [address = ''] = fixture.addresses(code);
  const web = fixture.web[0]?.process.pid;
  const worker = fixture.workers[0]?.process.pid;
  const atRest = { web: memoryMb(web), worker: memoryMb(worker) };
  const underLoad = { web: 0, worker: 0 };
  const backlog: number[] = [];

  const load = measure(address, seconds);
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1_000);
    backlog.push(await queue.pending(scanQueue));
    underLoad.web = Math.max(underLoad.web, memoryMb(web));
    underLoad.worker = Math.max(underLoad.worker, memoryMb(worker));
  }
  const { requests, seconds: took, p50, p99 } = await load;
  const endedAt = performance.now();
  const counted = await fixture.countedScans(code, requests, 120_000);
  const untilLastMs = performance.now() - endedAt;
  await queue.close();
  await fixture.stop();
  return {
    table: [
      {
        'redirects/s': Math.round(requests / took),
        'p50 ms': round(p50, 2),
        'p99 ms': round(p99, 2),
        'redirects received': requests,
        'scans counted': counted,
        'last scan in the analytics after ms': Math.round(untilLastMs),
        'jobs waiting, by second': backlog.join(' '),
      },
    ],
    memory: [
      { process: 'web', 'at rest MB': atRest.web, 'under load MB': underLoad.web },
      { process: 'worker', 'at rest MB': atRest.worker, 'under load MB': underLoad.worker },
    ],
  };
}
