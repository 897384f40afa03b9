import { countedSpans } from '../src/scans/counted-days.ts';
import { rebuildSpan } from '../src/scans/counters.ts';
import type { Database } from '../src/store/database.ts';
import { startFixture } from '../test/support/fixture.ts';
import { median, round } from './figures.ts';

const sizes = [1_000, 100_000, 5_000_000];
const requests = 40;
const deepPage = 1_000;
const pageSize = 100;

/** Latency of reads by the number of scans on one code. */
export async function benchReads() {
  const fixture = await startFixture({ workers: 0 });
  const table = [];
  for (const size of sizes) {
    const code = await fixture.makeCode();
    await fill(fixture.db, code.id, size);
    const pages = Math.floor(size / pageSize);
    const deep = await cursorAt(fixture.db, code.id, (Math.min(deepPage, pages) - 1) * pageSize);
    const timed = async (path: string) => {
      const headers = { Authorization: `Bearer ${await fixture.makeKey()}` };
      const times: number[] = [];
      for (let number = 0; number < requests + 10; number += 1) {
        const startedAt = performance.now();
        const response = await fetch(`${fixture.url}/api/v1/qrcodes/${code.id}${path}`, { headers });
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`${path} responded with ${response.status}`);
        if (number >= 10) times.push(performance.now() - startedAt);
      }
      return round(median(times), 2);
    };
    table.push({
      scans: size,
      'read ms': await timed(''),
      'analytics 30 days ms': await timed('/analytics'),
      'analytics 365 days ms': await timed('/analytics?days=365'),
      'first page ms': await timed('/scans'),
      [`page ${deepPage} (or last) ms`]: await timed(`/scans?cursor=${deep}`),
    });
  }
  await fixture.stop();
  return { table };
}

/** Inserts scans spread over the last year, in a few countries and browsers, and builds the counters from them. */
async function fill(db: Database, codeId: string, scans: number): Promise<void> {
  const slice = 250_000;
  for (let from = 0; from < scans; from += slice) {
    await db.raw(
      `INSERT INTO scans (id, qr_code_id, scanned_at, country, region, city, latitude, longitude, device, browser, os)
       SELECT CAST(substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || substr(md5(n::text), 1, 3) || '-8' || substr(md5(n::text), 4, 3) || '-' || substr(md5(n::text), 7, 12) AS uuid),
              CAST(:codeId AS uuid), at, (ARRAY['GB','DE','FR','US','ZZ'])[1 + n % 5], 'R' || n % 7, 'City ' || n % 40, 51, 0,
              (ARRAY['mobile','desktop','tablet'])[1 + n % 3], 'Browser ' || n % 12, 'System ' || n % 6
       FROM generate_series(CAST(:from AS int), CAST(:to AS int)) AS n,
            LATERAL (SELECT date_trunc('milliseconds', now() - (CAST(:scans AS int) - n) * (interval '364 days' / CAST(:scans AS int))) AS at) AS t,
            LATERAL (SELECT lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS h) AS hex`,
      { codeId, from, to: Math.min(from + slice, scans) - 1, scans },
    );
  }
  for (const span of await countedSpans(db, codeId)) await rebuildSpan(db, codeId, span);
  await db.raw('ANALYZE scans');
  await db.raw('ANALYZE scan_counters');
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
