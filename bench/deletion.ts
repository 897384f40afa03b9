import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hourMs } from '../src/runtime/units.ts';
import { createPartitions } from '../src/scans/partitions.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { type SteadyLoad, startLoad } from '../test/faults/steady-load.ts';
import { type Fixture, startFixture } from '../test/support/fixture.ts';
import { percentile, round } from './figures.ts';
import { fill } from './fill.ts';

const perSecond = 1_000;
const warmUpMs = 5_000;
const periodMs = 30_000;

/** A code is deleted while others are scanned, and a worker is killed twice: `npm run bench deletion -- --scans 5000000`. */
export async function benchDeletion() {
  const { values } = parseArgs({ options: { scans: { type: 'string' } }, strict: false });
  const size = Number(values.scans ?? 5_000_000);
  const fixture = await startFixture({ workers: 2 });
  const db = openDatabase(fixture.databaseUrl, {
    poolMax: 2,
    applicationName: 'bench',
    queryTimeoutMs: hourMs,
  });
  await createPartitions(db, new Date());
  const [large, other] = [await fixture.makeCode(), await fixture.makeCode()];
  await fill(db, large.id, size);

  const load = startLoad(fixture.addresses(other), perSecond);
  await sleep(warmUpMs);
  // Workers are killed in both periods, so that what differs is the purge.
  const before = await p99WhileWorkersDie(fixture, load);
  const deletedAt = performance.now();
  const answeredMs = await timeDeletion(fixture, large.id);
  const during = await p99WhileWorkersDie(fixture, load);
  while (await isStored(db, large.id)) await sleep(250);
  const purgedMs = performance.now() - deletedAt;
  const { redirects, faults } = await load.stop();
  const counted = await fixture.countedScans(other, redirects);
  await db.destroy();
  await fixture.stop();
  return {
    table: [
      {
        scans: size,
        'DELETE answered after ms': answeredMs,
        'purged after s': round(purgedMs / 1000, 1),
        'p99 ms before': round(before, 2),
        'p99 ms during': round(during, 2),
        ratio: round(during / before, 2),
        'redirects received': redirects,
        'scans counted': counted,
        errors: JSON.stringify(faults),
      },
    ],
  };
}

/** Of the redirects in a period in which each worker is killed once. */
async function p99WhileWorkersDie(fixture: Fixture, load: SteadyLoad): Promise<number> {
  load.result.durationsMs.length = 0;
  const startedAt = performance.now();
  for (const worker of fixture.workers) {
    await sleep(3_000);
    await worker.end('SIGKILL');
    await worker.restart();
  }
  await sleep(periodMs - (performance.now() - startedAt));
  return percentile(load.result.durationsMs, 99);
}

/** Milliseconds until the DELETE is answered. */
export async function timeDeletion(fixture: Fixture, codeId: string): Promise<number> {
  const headers = { Authorization: `Bearer ${await fixture.makeKey()}` };
  const startedAt = performance.now();
  const response = await fetch(`${fixture.url}/api/v1/qrcodes/${codeId}`, { method: 'DELETE', headers });
  if (response.status !== 204) throw new Error(`DELETE responded with ${response.status}`);
  return round(performance.now() - startedAt, 1);
}

async function isStored(db: Database, id: string): Promise<boolean> {
  const { rows } = (await db.raw(
    `SELECT EXISTS (SELECT FROM scans WHERE qr_code_id = :id) OR EXISTS (SELECT FROM scan_counters WHERE qr_code_id = :id) AS stored`,
    { id },
  )) as { rows: [{ stored: boolean }] };
  return rows[0].stored;
}
