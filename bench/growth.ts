import { parseArgs } from 'node:util';
import { compareSpan, countedSpans } from '../src/scans/counters.ts';
import { createPartitions } from '../src/scans/partitions.ts';
import { createScanRecorder } from '../src/scans/scan-recorder.ts';
import { hourMs } from '../src/runtime/units.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { type Fixture, startFixture } from '../test/support/fixture.ts';
import { scanRow } from '../test/support/scan-rows.ts';
import { timeDeletion } from './deletion.ts';
import { median, round } from './figures.ts';
import { fill } from './fill.ts';

const requests = 40;
const warmUp = 10;
const deepPage = 1_000;
const pageSize = 100;
const recordedRows = 500;

/** What each operation costs by the number of scans on the code: `npm run bench growth -- --scans 20000000`. */
export async function benchGrowth() {
  const { values } = parseArgs({ options: { scans: { type: 'string' } }, strict: false });
  const sizes = [1_000, 1_000_000, Number(values.scans ?? 5_000_000)];
  const fixture = await startFixture({ workers: 0 });
  const db = openDatabase(fixture.databaseUrl, {
    poolMax: 2,
    applicationName: 'bench',
    queryTimeoutMs: hourMs,
  });
  await createPartitions(db, new Date());
  const table = [];
  const codes: string[] = [];
  for (const size of sizes) {
    const { id } = await fixture.makeCode();
    codes.push(id);
    await fill(db, id, size);
    table.push({ scans: size, ...(await measureReads(fixture, id, size)), ...(await measureWrites(db, id)) });
  }
  const storage = await bytesPerScan(db);
  const deletes = [];
  for (const [index, id] of codes.entries())
    deletes.push({ scans: sizes[index], 'DELETE answered after ms': await timeDeletion(fixture, id) });
  await db.destroy();
  await fixture.stop();
  return { table, storage, deletes };
}

async function measureReads(fixture: Fixture, codeId: string, size: number) {
  const pages = Math.floor(size / pageSize);
  const deep = await cursorAt(fixture.db, codeId, (Math.min(deepPage, pages) - 1) * pageSize);
  const timed = async (path: string) => {
    const headers = { Authorization: `Bearer ${await fixture.makeKey()}` };
    return medianMs(async () => {
      const response = await fetch(`${fixture.url}/api/v1/qrcodes/${codeId}${path}`, { headers });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path} responded with ${response.status}`);
    });
  };
  return {
    'read ms': await timed(''),
    '1 day ms': await timed('/analytics?days=1'),
    '30 days ms': await timed('/analytics'),
    '365 days ms': await timed('/analytics?days=365'),
    'first page ms': await timed('/scans'),
    [`page ${deepPage} ms`]: await timed(`/scans?cursor=${deep}`),
  };
}

async function measureWrites(db: Database, codeId: string) {
  const record = createScanRecorder(db);
  const recording = await medianMs(async () => {
    await record(Array.from({ length: recordedRows }, () => scanRow(codeId, new Date().toISOString())));
  });
  const startedAt = performance.now();
  let differences = 0;
  for (const span of await countedSpans(db, codeId))
    differences += (await compareSpan(db, codeId, span)).length;
  return {
    [`record ${recordedRows} ms`]: recording,
    'verify s': round((performance.now() - startedAt) / 1000, 2),
    differences,
  };
}

async function medianMs(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < requests + warmUp; number += 1) {
    const startedAt = performance.now();
    await work();
    if (number >= warmUp) times.push(performance.now() - startedAt);
  }
  return round(median(times), 2);
}

/** Bytes on disk per scan, by table (all partitions together) and index. */
async function bytesPerScan(db: Database) {
  const { rows } = (await db.raw(
    `WITH tables AS (
       SELECT oid, CASE WHEN relname LIKE 'scans%' THEN 'scans' ELSE relname::text END AS name
       FROM pg_class WHERE relkind = 'r' AND (relname LIKE 'scans%' OR relname = 'scan_counters')
     )
     SELECT name, sum(pg_table_size(oid)) / (SELECT count(*) FROM scans) AS rows,
            sum(pg_indexes_size(oid)) / (SELECT count(*) FROM scans) AS indexes
     FROM tables GROUP BY name ORDER BY name`,
  )) as { rows: { name: string; rows: string; indexes: string }[] };
  return rows.map(({ name, rows: heap, indexes }) => ({
    table: name,
    'bytes per scan': round(Number(heap), 1),
    'indexes, bytes per scan': round(Number(indexes), 1),
  }));
}

async function cursorAt(db: Database, codeId: string, offset: number): Promise<string> {
  const [row] = (await db('scans')
    .where({ qr_code_id: codeId })
    .orderBy('id', 'desc')
    .offset(Math.max(0, offset - 1))
    .limit(1)
    .select('id')) as { id: string }[];
  return row?.id ?? '';
}
