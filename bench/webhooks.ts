import { Scan } from '../src/scans/scan.ts';
import { createEndpoint } from '../src/webhooks/endpoints.ts';
import { createSecretBox } from '../src/webhooks/signing.ts';
import { apiClient } from '../test/support/api-client.ts';
import { scanRow } from '../test/support/scan-rows.ts';
import { startFixture } from '../test/support/fixture.ts';
import { createCode } from '../test/support/share.ts';
import type { WorkspaceId } from '../src/workspaces/workspace.ts';

const codesPerBatch = 200;
const scansPerBatch = 2_000;
const rounds = 40;

/** One statement that records scans, with and without webhook endpoints. The kinds take turns. */
export async function benchWebhooks() {
  const fixture = await startFixture({ workers: 0, webs: 1, queue: 'postgres' });
  const { db } = fixture;
  const codeIds: string[] = [];
  const first = await createCode(apiClient(fixture.url, await fixture.makeKey()));
  const { rows } = (await db.raw(
    `INSERT INTO qr_codes SELECT (jsonb_populate_record(code, jsonb_build_object(
       'id', gen_random_uuid(), 'share_token', substr(md5(n::text), 1, 10)))).*
     FROM qr_codes AS code, generate_series(2, ${codesPerBatch}) AS n WHERE code.id = ? RETURNING id`,
    [first.id],
  )) as { rows: { id: string }[] };
  codeIds.push(first.id, ...rows.map(({ id }) => id));
  const owner = (await db('qr_codes').where({ id: first.id }).first('user_id')) as { user_id: string };
  const box = createSecretBox([Buffer.alloc(32)]);
  const subscribe = (count: number, selected: string[] | null) =>
    Promise.all(
      Array.from({ length: count }, () =>
        createEndpoint(
          db,
          owner.user_id as WorkspaceId,
          {
            url: 'https://example.com/',
            name: 'Bench',
            events: ['scan.recorded'],
            codeIds: selected,
            categories: null,
          },
          { box, quota: 100, now: new Date() },
        ),
      ),
    );
  const kinds = {
    'no endpoint': () => Promise.resolve(),
    'one endpoint of the owner, for another code': () =>
      subscribe(1, ['00000000-0000-7000-8000-000000000000']),
    'one endpoint': () => subscribe(1, null),
    'five endpoints': () => subscribe(5, null),
  };
  const times = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, prepare] of Object.entries(kinds)) {
      await db('webhook_endpoints').delete();
      await prepare();
      const batch = Array.from({ length: scansPerBatch }, (_, index) =>
        scanRow(codeIds[index % codesPerBatch] ?? '', new Date().toISOString()),
      );
      const startedAt = performance.now();
      await Scan.record(db, batch);
      // The first ones plan the statement.
      if (round >= 5) times.set(kind, [...(times.get(kind) ?? []), performance.now() - startedAt]);
    }
  }
  await fixture.stop();
  const table = [...times].map(([endpoints, measured]) => {
    const sorted = measured.toSorted((a, b) => a - b);
    const perScan = (ms = 0) => Math.round((ms / scansPerBatch) * 10_000) / 10;
    return {
      endpoints,
      'µs/scan (best)': perScan(sorted[0]),
      'µs/scan (best quarter)': perScan(sorted[sorted.length >> 2]),
    };
  });
  return { table };
}
