import { setTimeout as sleep } from 'node:timers/promises';
import { openQueueClient } from '../src/queue/queue-client.ts';
import { scanQueue } from '../src/queue/scan-queue.ts';
import { waitUntilReady } from '../src/queue/queue-connection.ts';
import { createLog } from '../src/telemetry/log.ts';
import { apiClient } from '../test/support/api-client.ts';
import { startFixture } from '../test/support/fixture.ts';
import { createCode } from '../test/support/share.ts';
import { startBare } from './bare-server.ts';
import { percentile, round } from './figures.ts';
import { openLoadProcess } from './load-process.ts';

const rounds = 4;
const seconds = 10;
const scansPerSecond = 400;
const endpoints = 5;

/** Redirects at a steady rate, with and without webhook endpoints. The kinds take turns. */
export async function benchWebhookLane() {
  const receiver = await startBare('webhook-receiver.mjs');
  const fixture = await startFixture({
    settings: { WEBHOOK_NETWORKS: '127.0.0.0/8', WEBHOOK_TIMEOUT_SECONDS: '2' },
  });
  const { db } = fixture;
  const api = apiClient(fixture.url, await fixture.makeKey());
  const code = await createCode(api);
  const queue = openQueueClient({ place: fixture.place, log: createLog('bench', 'silent') });
  await waitUntilReady(queue);
  for (let number = 0; number < endpoints; number += 1) {
    const body = { url: new URL('/good', receiver.url).href, name: 'Bench', events: ['scan.recorded'] };
    await api('/webhooks', { method: 'POST', body });
  }
  const countCalls = async () => {
    const { calls } = (await db('webhook_attempts').count('* as calls').first()) as { calls: number };
    return calls;
  };
  const kind = (name: string, path: string, isEnabled: boolean) => ({
    name,
    path,
    isEnabled,
    durations: [] as number[],
    jobs: [] as number[],
    faults: 0,
    calls: 0,
  });
  const kinds = [
    kind('no endpoint', '/good', false),
    kind('five endpoints that answer', '/good', true),
    kind('five, of whose calls 30 % fail and 10 % hang', '/bad', true),
  ];
  const load = openLoadProcess();
  for (let number = 0; number < rounds; number += 1) {
    for (const figures of kinds) {
      const { path, isEnabled } = figures;
      await db('webhook_scans').delete();
      await db('webhook_deliveries').delete();
      await db('webhook_endpoints').update({
        url: new URL(path, receiver.url).href,
        is_enabled: isEnabled,
        failures: 0,
        failing_since: null,
        retry_at: new Date(),
        leased_until: null,
      });
      load.start({ addresses: fixture.addresses(code), perSecond: scansPerSecond });
      for (const endAt = performance.now() + seconds * 1_000; performance.now() < endAt; await sleep(250)) {
        figures.jobs.push(await queue.pending(scanQueue));
      }
      const { durationsMs, faults } = await load.stop();
      // The first ones of all warm the process up.
      if (number > 0) figures.durations.push(...durationsMs);
      figures.calls += await countCalls();
      figures.faults += Object.values(faults).reduce((sum, count) => sum + count, 0);
    }
  }
  await queue.close();
  load.close();
  await fixture.stop();
  receiver.process.kill();
  const table = kinds.map(({ name, durations, jobs, faults, calls }) => ({
    endpoints: name,
    redirects: durations.length,
    'p50 ms': round(percentile(durations, 50), 1),
    'p99 ms': round(percentile(durations, 99), 1),
    'most jobs of scans waiting': Math.max(...jobs),
    errors: faults,
    'webhook calls': calls,
  }));
  return { table };
}
