import { openQueueClient } from '../src/queue/queue-client.ts';
import { scanQueue } from '../src/queue/scan-queue.ts';
import { loadSecrets } from '../src/accounts/secrets.ts';
import { waitUntilReady } from '../src/queue/wait-until-ready.ts';
import { packScans } from '../src/queue/scan-jobs.ts';
import { newScanId } from '../src/scans/scan-id.ts';
import { createLog } from '../src/telemetry/log.ts';
import { startFixture } from '../test/support/fixture.ts';
import { iPhoneSafari } from '../test/support/share.ts';

const jobs = 600;
const scansPerJob = 500;

/** A worker with a full queue and no other load. */
export async function benchWorker() {
  const table = [];
  for (const engine of ['redis', 'postgres'] as const) {
    const fixture = await startFixture({ workers: 0, queue: engine });
    const code = await fixture.makeCode();
    const { sealingKey } = await loadSecrets(fixture.db);
    const queue = openQueueClient({ place: fixture.place, log: createLog('bench', 'silent') });
    await waitUntilReady(queue);
    for (let number = 0; number < jobs; number += 1) {
      const scans = Array.from({ length: scansPerJob }, (_, index) => ({
        id: newScanId(Date.now()),
        codeId: code.id,
        userAgent: iPhoneSafari,
        address: `81.2.${index % 256}.${number % 256}`,
      }));
      await queue.add(scanQueue, packScans(scans, sealingKey));
    }
    await queue.close();
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
