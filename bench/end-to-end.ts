import { setTimeout as sleep } from 'node:timers/promises';
import { openQueueClient } from '../src/queue/queue-client.ts';
import { scanQueue } from '../src/queue/scan-queue.ts';
import { waitUntilReady } from '../src/queue/queue-connection.ts';
import { createLog } from '../src/telemetry/log.ts';
import { startFixture } from '../test/support/fixture.ts';
import { readPostmaster } from '../src/store/embedded/cluster.ts';
import { startBare } from './bare-server.ts';
import { measure } from './client.ts';
import { cpuMicroseconds } from './cpu.ts';
import { memoryMb, round } from './figures.ts';

const seconds = 15;
const bareSeconds = 5;

/** Client, web, queue, worker and database on one machine, at the lane's full rate. */
export async function benchEndToEnd() {
  const fixture = await startFixture();
  const code = await fixture.makeCode();
  const queue = openQueueClient({ place: fixture.place, log: createLog('bench', 'silent') });
  await waitUntilReady(queue);
  const [address = ''] = fixture.addresses(code);
  const web = fixture.web[0]?.process.pid;
  const worker = fixture.workers[0]?.process.pid;
  const processes = {
    web,
    worker,
    PostgreSQL: (await readPostmaster(fixture.dataDir))?.pid,
    Redis: fixture.redis().process?.pid,
  };
  const cpuTimes = () => Object.values(processes).map(cpuMicroseconds);
  const atRest = { web: memoryMb(web), worker: memoryMb(worker) };
  const underLoad = { web: 0, worker: 0 };
  const backlog: number[] = [];

  const bareServer = await startBare('bare-http.mjs');
  const bareRun = await measure(bareServer.url, bareSeconds);
  const bare = bareRun.requests / bareRun.seconds;
  bareServer.process.kill();
  const before = cpuTimes();
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
  const cpu = cpuTimes().map((time, index) => round((time - (before[index] ?? 0)) / counted, 1));
  await queue.close();
  await fixture.stop();
  return {
    table: [
      {
        'redirects/s': Math.round(requests / took),
        'of bare node:http': round(requests / took / bare, 2),
        'p50 ms': round(p50, 2),
        'p99 ms': round(p99, 2),
        'redirects received': requests,
        'scans counted': counted,
        'last scan in the analytics after ms': Math.round(untilLastMs),
        'jobs waiting, by second': backlog.join(' '),
      },
    ],
    'CPU microseconds per scan': [
      {
        ...Object.fromEntries(Object.keys(processes).map((name, index) => [name, cpu[index]])),
        'in all': round(
          cpu.reduce((sum, time) => sum + time, 0),
          1,
        ),
      },
    ],
    memory: [
      { process: 'web', 'at rest MB': atRest.web, 'under load MB': underLoad.web },
      { process: 'worker', 'at rest MB': atRest.worker, 'under load MB': underLoad.worker },
    ],
  };
}
