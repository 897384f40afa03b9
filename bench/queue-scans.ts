import { loadSecrets } from '../src/accounts/secrets.ts';
import { openQueueClient } from '../src/queue/queue-client.ts';
import { packScans } from '../src/queue/scan-jobs.ts';
import { scanQueue } from '../src/queue/scan-queue.ts';
import { waitUntilReady } from '../src/queue/queue-connection.ts';
import { newScanId } from '../src/scans/scan-id.ts';
import { createLog } from '../src/telemetry/log.ts';
import type { Fixture } from '../test/support/fixture.ts';
import { iPhoneSafari, type SharedCode } from '../test/support/share.ts';

/** Fills the queue with jobs whose scans are spread evenly over the codes. */
export async function queueScans(
  fixture: Fixture,
  codes: SharedCode[],
  { jobs, scansPerJob }: { jobs: number; scansPerJob: number },
): Promise<void> {
  const { sealingKey } = await loadSecrets(fixture.db);
  const queue = openQueueClient({ place: fixture.place, log: createLog('bench', 'silent') });
  await waitUntilReady(queue);
  for (let number = 0; number < jobs; number += 1) {
    const scans = Array.from({ length: scansPerJob }, (_, index) => ({
      id: newScanId(Date.now()),
      codeId: codes[(number * scansPerJob + index) % codes.length]?.id ?? '',
      userAgent: iPhoneSafari,
      address: `81.2.${index % 256}.${number % 256}`,
    }));
    await queue.add(scanQueue, packScans(scans, sealingKey));
  }
  await queue.close();
}
