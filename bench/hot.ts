import { startFixture } from '../test/support/fixture.ts';
import type { SharedCode } from '../test/support/share.ts';
import { queueScans } from './queue-scans.ts';

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
  await queueScans(fixture, shared, { jobs, scansPerJob });
  await Promise.all(Array.from({ length: workers }, () => fixture.addWorker()));
  const startedAt = performance.now();
  const total = jobs * scansPerJob;
  const before = await recorded();
  while ((await recorded()) < total) await new Promise((resolve) => setTimeout(resolve, 20));
  const seconds = (performance.now() - startedAt) / 1000;
  await fixture.stop();
  return Math.round((total - before) / seconds);

  async function recorded(): Promise<number> {
    const [row] = (await fixture.db('scan_counters').where({ dimension: 'total' }).sum('count as sum')) as {
      sum: string | null;
    }[];
    return Number(row?.sum ?? 0);
  }
}
