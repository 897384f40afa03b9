import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { scanQueue } from '../../src/queue/scan-queue.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/figures.ts';
import { runQrelay } from '../support/programs.ts';
import { testLog } from '../support/test-log.ts';
import type { Installation } from './installation.ts';
import type { SoakLoad, Tally } from './load.ts';

/** Something that must hold at the end of a run. */
export interface Check {
  title: string;
  /** What does not; empty if it holds. */
  problems: string[];
}

const drainTimeoutMs = 180_000;
/** There may be millions of scans. */
export const countTimeoutMs = 300_000;
const shown = 20;

async function problemsOf(work: () => Promise<unknown>): Promise<string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Only then could a scan that was counted twice no longer come. */
export async function waitUntilDrained(
  { queue: place, spool, postgres }: Installation,
  load: SoakLoad,
): Promise<Check> {
  const queue = openQueueClient({ place, log: testLog() });
  const { redirects } = load.total();
  const problems = await problemsOf(() =>
    eventually(
      async () => {
        const [row] = await postgres.query<{ count: string }>('SELECT count(*) FROM scans', countTimeoutMs);
        expect(Number(row?.count), 'recorded scans').to.be.at.least(redirects);
        expect(await readdir(spool).catch(() => []), 'files in the spool').to.deep.equal([]);
        expect(await queue.pending(scanQueue), 'pending jobs').to.equal(0);
      },
      drainTimeoutMs,
      500,
    ),
  );
  await queue.close();
  return { title: 'queue, spool and journal are empty', problems };
}

export interface CodeCounts {
  id: string;
  scans: string;
  totals: string;
  browsers: string;
}

/** A request whose connection broke with its process may have been recorded or not; every other redirect once. */
export function compareCounts(rows: CodeCounts[], tallies: Map<string, Tally>): Check[] {
  const lost: string[] = [];
  const counters: string[] = [];
  for (const { id, scans, totals, browsers } of rows) {
    const { redirects, broken } = tallies.get(id) ?? { redirects: 0, broken: 0 };
    const recorded = Number(scans);
    if (recorded < redirects || recorded > redirects + broken)
      lost.push(`${id}: ${redirects} redirects, ${broken} broken, ${recorded} recorded`);
    if (totals !== scans || browsers !== scans)
      counters.push(`${id}: ${scans} scans, counted ${totals}, by browser ${browsers}`);
  }
  return [
    { title: 'every redirect of every code is recorded once', problems: lost.slice(0, shown) },
    { title: 'counters equal scans', problems: counters.slice(0, shown) },
  ];
}

export async function checkCounts(installation: Installation, load: SoakLoad): Promise<Check[]> {
  const { postgres, web, metricsToken } = installation;
  const rows = await postgres.query<CodeCounts>(
    `SELECT id,
            (SELECT count(*) FROM scans WHERE qr_code_id = qr_codes.id) AS scans,
            (SELECT coalesce(sum(count), 0) FROM scan_counters WHERE qr_code_id = qr_codes.id AND dimension = 'total') AS totals,
            (SELECT coalesce(sum(count), 0) FROM scan_counters WHERE qr_code_id = qr_codes.id AND dimension = 'browser') AS browsers
     FROM qr_codes`,
    countTimeoutMs,
  );
  const unexpected = load.unexpected.map(
    ({ atMs, what, during }) => `${what} after ${Math.round(atMs / 1000)} s, during: ${during}`,
  );
  const [dead] = await postgres.query<{ count: string }>('SELECT count(*) FROM dead_scans');
  const dropped = await problemsOf(async () => {
    for (const { metricsUrl, name } of web) {
      const figures = await scrape(metricsUrl, metricsToken);
      expect(figures.get('qrelay_scans_dropped_total'), `dropped by ${name}`).to.equal(0);
    }
    expect(Number(dead?.count), 'dead scans').to.equal(0);
  });
  return [
    ...compareCounts(rows, load.tallies),
    { title: '`qrelay counters verify` finds no difference', problems: await verifyCounters(installation) },
    { title: 'no scan was dropped or became a dead letter', problems: dropped },
    { title: 'no response that the contract does not allow', problems: unexpected.slice(0, shown) },
  ];
}

async function verifyCounters({ postgres }: Installation): Promise<string[]> {
  const { code, stdout, stderr } = await runQrelay(['counters', 'verify'], { DATABASE_URL: postgres.url });
  return code === 0 && stdout === '' ? [] : [`exit code ${code}: ${stdout}${stderr}`.slice(0, 2_000)];
}

/** Ends everything, and looks for what is left. */
export async function checkEnd(installation: Installation): Promise<Check[]> {
  const { folder, web, workers, stop } = installation;
  const exits: string[] = [];
  for (const process of [...web, ...workers]) {
    const code = await process.shutDown();
    if (code !== 0) exits.push(`${process.name} exited with ${code}`);
  }
  await stop();
  const left = await problemsOf(() => eventually(() => expect(processesIn(folder)).to.deep.equal([])));
  return [
    { title: 'web and worker processes shut down with exit code 0', problems: exits },
    { title: 'no process is left', problems: left },
  ];
}

/** Every process that was started with a path in this folder, or works in it, whatever its parent is. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const where = [readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/environ`, 'utf8')].join(
          '\0',
        );
        return where.includes(folder)
          ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
          : [];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}
