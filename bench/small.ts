import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '../src/store/database.ts';
import { buildRelease, previousRelease } from '../test/upgrade/build-release.ts';
import { startBare } from './bare-server.ts';
import { percentile, round } from './figures.ts';
import { openLoadProcess } from './load-process.ts';
import { readTree, type TreeFigures } from './process-figures.ts';
import { startReleaseService } from './release-service.ts';

const rates = listOf('--rates') ?? [0, 1, 10, 100, 300, 1_000];
const restSeconds = Number(optionOf('--rest') ?? 40);
const loadSeconds = Number(optionOf('--seconds') ?? 15);
const settleMs = Number(optionOf('--settle') ?? 10) * 1_000;
const visibleWithinMs = 60_000;

const current = fileURLToPath(new URL('../', import.meta.url));

/** A whole service as `npm start` runs it, or a server to compare it with. */
interface Contender {
  name: string;
  url: string;
  figures(): TreeFigures;
  /** Scans that the owner can see. */
  scans?(): Promise<number>;
  statements?(): Promise<number>;
  stop(): Promise<void>;
}

/** The loads that most installations have: nothing, and a few scans a second. */
export async function benchSmall() {
  const table = [];
  const memory = [];
  const releases = {
    now: current,
    ...(process.argv.includes('--before') && { before: await builtBefore() }),
  };
  const contenders = [
    await bareContender(),
    ...(await Promise.all(
      Object.entries(releases).flatMap(([release, folder]) =>
        (listOfWords('--engines') ?? ['embedded', 'redis']).map((engine) =>
          startService(release, folder, engine === 'redis'),
        ),
      ),
    )),
  ];
  await sleep(settleMs);
  for (const rate of rates) {
    let bareMicroseconds = Number.NaN;
    for (const contender of contenders) {
      if (rate === 0 && !contender.scans) continue;
      const row = await measureAt(contender, rate);
      if (!contender.scans) bareMicroseconds = row.perScan;
      table.push({ ...row.shown, ...(rate > 0 && { 'of bare': round(row.perScan / bareMicroseconds, 1) }) });
    }
    if (rate === 0)
      for (const { name, figures } of contenders) memory.push({ service: name, ...asMegabytes(figures()) });
  }
  for (const { stop } of contenders) await stop();
  return { table, 'memory at rest, PSS in MB': memory };
}

async function measureAt(contender: Contender, perSecond: number) {
  const seconds = perSecond === 0 ? restSeconds : loadSeconds;
  const load = openLoadProcess();
  const statementsBefore = (await contender.statements?.()) ?? 0;
  const before = contender.figures();
  const startedAt = performance.now();
  if (perSecond > 0) load.start({ addresses: [contender.url], perSecond });
  await sleep(seconds * 1_000);
  const result = perSecond > 0 ? await load.stop() : { redirects: 0, durationsMs: [] };
  load.close();
  const seenAfterMs = contender.scans && perSecond > 0 ? await waitForScan(contender) : undefined;
  const after = contender.figures();
  const tookMs = performance.now() - startedAt;
  const statements = ((await contender.statements?.()) ?? 0) - statementsBefore;
  const used = Object.keys(after).map((name) => ({
    name,
    cpu: (after[name]?.cpuMicroseconds ?? 0) - (before[name]?.cpuMicroseconds ?? 0),
    wakeUps: (after[name]?.wakeUps ?? 0) - (before[name]?.wakeUps ?? 0),
  }));
  const cpu = used.reduce((sum, one) => sum + one.cpu, 0);
  const perScan = cpu / result.redirects;
  return {
    perScan,
    shown: {
      service: contender.name,
      'scans/s': perSecond,
      '% of a core': round((cpu / 1_000 / tookMs) * 100, 2),
      'CPU µs per scan': perSecond > 0 ? Math.round(perScan) : '',
      by: used
        .map(({ name, cpu: own }) =>
          perSecond > 0
            ? `${name} ${Math.round(own / result.redirects)}`
            : `${name} ${round((own / 1_000 / tookMs) * 100, 2)} %`,
        )
        .join(', '),
      'wake-ups/s': used
        .map(({ name, wakeUps }) => `${name} ${round((wakeUps / tookMs) * 1_000, 1)}`)
        .join(', '),
      'transactions/min': contender.statements ? Math.round((statements / tookMs) * 60_000) : '',
      'p50 ms': perSecond > 0 ? round(percentile(result.durationsMs, 50), 2) : '',
      'p99 ms': perSecond > 0 ? round(percentile(result.durationsMs, 99), 2) : '',
      'visible after ms': seenAfterMs ?? '',
    },
  };
}

/** One more scan, and how long it takes until its owner sees it. */
async function waitForScan({ url, scans = async () => 0 }: Contender): Promise<number> {
  let before = await scans();
  // Those of the load first.
  for (let last = -1; last !== before; before = await scans()) {
    last = before;
    await sleep(1_500);
  }
  await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
  const startedAt = performance.now();
  while ((await scans()) <= before) {
    if (performance.now() - startedAt > visibleWithinMs) return Number.NaN;
    await sleep(20);
  }
  return Math.round(performance.now() - startedAt);
}

async function bareContender(): Promise<Contender> {
  const { url, process: server } = await startBare('bare-http.mjs');
  return {
    name: 'bare node:http',
    url,
    figures: () => readTree([server.pid ?? 0]),
    async stop() {
      server.kill();
    },
  };
}

async function builtBefore(): Promise<string> {
  return (await buildRelease(await previousRelease())).folder;
}

async function startService(release: string, folder: string, withRedis: boolean): Promise<Contender> {
  const { url, code, db, figures, stop } = await startReleaseService(folder, { withRedis });
  return {
    name: `${release}, ${withRedis ? 'Redis' : 'nothing set'}`,
    url: `${url}/r/${code.shareToken}`,
    figures,
    scans: () => countScans(db, code.id),
    statements: () => countTransactions(db),
    stop,
  };
}

async function countScans(db: Database, id: string): Promise<number> {
  const { rows } = (await db.raw(
    `SELECT coalesce(sum(count), 0)::int AS scans FROM scan_counters WHERE qr_code_id = :id AND dimension = 'total'`,
    { id },
  )) as { rows: [{ scans: number }] };
  return rows[0].scans;
}

async function countTransactions(db: Database): Promise<number> {
  const { rows } = (await db.raw(
    'SELECT sum(xact_commit + xact_rollback)::int AS transactions FROM pg_stat_database',
  )) as { rows: [{ transactions: number }] };
  return rows[0].transactions;
}

function asMegabytes(figures: TreeFigures): Record<string, number> {
  const each = Object.entries(figures).map(
    ([name, { pssBytes }]) => [name, Math.round(pssBytes / 2 ** 20)] as const,
  );
  return { ...Object.fromEntries(each), 'in all': each.reduce((sum, [, megabytes]) => sum + megabytes, 0) };
}

function optionOf(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

function listOfWords(name: string): string[] | undefined {
  return optionOf(name)?.split(',');
}

function listOf(name: string): number[] | undefined {
  return listOfWords(name)?.map(Number);
}
