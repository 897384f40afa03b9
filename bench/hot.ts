import { loadSecrets } from '../src/accounts/secrets.ts';
import { openQueueClient } from '../src/queue/queue-client.ts';
import { packScans } from '../src/queue/scan-jobs.ts';
import { scanQueue } from '../src/queue/scan-queue.ts';
import { waitUntilReady } from '../src/queue/wait-until-ready.ts';
import { newScanId } from '../src/scans/scan-id.ts';
import { createLog } from '../src/telemetry/log.ts';
import { startFixture } from '../test/support/fixture.ts';
import { iPhoneSafari, type SharedCode } from '../test/support/share.ts';

const runs = [
  { codes: 1, scansPerJob: 500, jobs: 800 },
  { codes: 200, scansPerJob: 500, jobs: 800 },
  { codes: 1, scansPerJob: 2, jobs: 20_000 },
];

/** One code that everybody scans, many codes, and jobs of two scans: by number of workers. */
export async function benchHot() {
  const table = [];
  for (const run of runs)
    for (const workers of [1, 2, 4])
      table.push({ ...run, workers, 'scans/s': await measureRun(run, workers) });
  return { table };
}

async function measureRun(
  { codes, scansPerJob, jobs }: (typeof runs)[number],
  workers: number,
): Promise<number> {
  const fixture = await startFixture({ workers: 0 });
  const shared: SharedCode[] = [];
  for (let number = 0; number < codes; number += 1) shared.push(await fixture.makeCode());
  const { sealingKey } = await loadSecrets(fixture.db);
  const queue = openQueueClient({ place: fixture.place, log: createLog('bench', 'silent') });
  await waitUntilReady(queue);
  for (let number = 0; number < jobs; number += 1) {
    const scans = Array.from({ length: scansPerJob }, (_, index) => ({
      id: newScanId(Date.now()),
      codeId: shared[(number * scansPerJob + index) % codes]?.id ?? '',
      userAgent: iPhoneSafari,
      address: `81.2.${index % 256}.${number % 256}`,
    }));
    await queue.add(scanQueue, packScans(scans, sealingKey));
  }
  await Promise.all(Array.from({ length: workers }, () => fixture.addWorker()));
  const startedAt = performance.now();
  const total = jobs * scansPerJob;
  const before = await recorded();
  while ((await recorded()) < total) await new Promise((resolve) => setTimeout(resolve, 20));
  const seconds = (performance.now() - startedAt) / 1000;
  await queue.close();
  await fixture.stop();
  return Math.round((total - before) / seconds);

  async function recorded(): Promise<number> {
    const [row] = (await fixture.db('scan_counters').where({ dimension: 'total' }).sum('count as sum')) as {
      sum: string | null;
    }[];
    return Number(row?.sum ?? 0);
  }
}
