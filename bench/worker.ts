import { startFixture } from '../test/support/fixture.ts';
import { queueScans } from './queue-scans.ts';

const jobs = 600;
const scansPerJob = 500;

/** A worker with a full queue and no other load. */
export async function benchWorker() {
  const table = [];
  for (const engine of ['redis', 'postgres'] as const) {
    const fixture = await startFixture({ workers: 0, queue: engine });
    const code = await fixture.makeCode();
    await queueScans(fixture, [code], { jobs, scansPerJob });
    // Measured from when the process is ready, so that loading the geolocation data does not count.
    await fixture.addWorker();
    const startedAt = performance.now();
    const scans = await fixture.countedScans(code, jobs * scansPerJob, 180_000);
    const seconds = (performance.now() - startedAt) / 1000;
    table.push({ queue: engine, scans, 'scans/s': Math.round(scans / seconds) });
    await fixture.stop();
  }
  return { table };
}
