import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildRelease, previousRelease } from '../test/upgrade/build-release.ts';
import { median, round } from './figures.ts';
import { openLoadProcess } from './load-process.ts';
import type { TreeFigures } from './process-figures.ts';
import { type ReleaseService, startReleaseService } from './release-service.ts';

const rounds = 8;
const redirectsPerSecond = 800;
const secondsPerRound = 8;
// Each request of a key in the last hour makes the next one a little more expensive.
const keys = 60;
const readsPerKeyAndRound = 30;
const parallelReads = 4;

interface Contender {
  service: ReleaseService;
  apiKeys: string[];
  redirect: Cost[];
  read: Cost[];
}

/** CPU microseconds of one request. */
interface Cost {
  web: number;
  all: number;
}

/** CPU of a redirect and of `GET /api/v1/qrcodes/{id}`, here and in the previous release (UPGRADE_FROM names another commit). */
export async function benchRequests() {
  const folders = {
    now: fileURLToPath(new URL('../', import.meta.url)),
    before: (await buildRelease(await previousRelease())).folder,
  };
  const contenders = {
    now: await startContender(folders.now),
    before: await startContender(folders.before),
  };
  const both = Object.values(contenders);
  // The first round warms up.
  for (let number = 0; number <= rounds; number += 1) {
    for (const one of number % 2 ? both : both.toReversed()) {
      const [redirect, read] = [await redirects(one), await reads(one)];
      if (number === 0) continue;
      one.redirect.push(redirect);
      one.read.push(read);
    }
  }
  for (const { service } of both) await service.stop();
  const rowOf = (request: string, name: 'redirect' | 'read', part: keyof Cost) => {
    const [now, before] = both.map((one) => one[name].map((cost) => cost[part])) as [number[], number[]];
    const ratios = now.map((cost, index) => cost / (before[index] ?? Number.NaN)).toSorted((a, b) => a - b);
    return {
      request,
      processes: part,
      'before µs': round(median(before), 1),
      'now µs': round(median(now), 1),
      'now of before': round(median(now) / median(before), 3),
      'median of pairs': round(median(ratios), 3),
      'middle half of pairs': `${round(ratios[Math.floor(rounds / 4)] ?? 0, 3)} to ${round(ratios[Math.ceil((rounds * 3) / 4) - 1] ?? 0, 3)}`,
    };
  };
  return {
    table: [
      rowOf('GET /r/{token}', 'redirect', 'web'),
      rowOf('GET /r/{token}', 'redirect', 'all'),
      rowOf('GET /api/v1/qrcodes/{id}', 'read', 'web'),
      rowOf('GET /api/v1/qrcodes/{id}', 'read', 'all'),
    ],
  };
}

async function startContender(folder: string): Promise<Contender> {
  const requestsPerHour = (rounds + 1) * readsPerKeyAndRound + 1;
  const service = await startReleaseService(folder, {
    withRedis: true,
    settings: { PRO_LIMITS: `requestsPerHour=${requestsPerHour},keys=${keys + 1}` },
  });
  const apiKeys: string[] = [];
  while (apiKeys.length < keys) apiKeys.push(await service.createKey());
  return { service, apiKeys, redirect: [], read: [] };
}

async function redirects({ service }: Contender): Promise<Cost> {
  const load = openLoadProcess();
  const before = service.figures();
  load.start({
    addresses: [`${service.url}/r/${service.code.shareToken}`],
    perSecond: redirectsPerSecond,
  });
  await sleep(secondsPerRound * 1_000);
  const { redirects: done, faults } = await load.stop();
  load.close();
  if (Object.keys(faults).length > 0) throw new Error(`Redirects failed: ${JSON.stringify(faults)}`);
  // The worker and PostgreSQL finish what the load has left.
  await sleep(1_000);
  return costOf(before, service.figures(), done);
}

async function reads({ service, apiKeys }: Contender): Promise<Cost> {
  const before = service.figures();
  const waiting = Array.from({ length: readsPerKeyAndRound }, () => apiKeys).flat();
  const total = waiting.length;
  await Promise.all(
    Array.from({ length: parallelReads }, async () => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
        const answer = await fetch(`${service.url}/api/v1/qrcodes/${service.code.id}`, {
          headers: { Authorization: `Bearer ${key}` },
        });
        if (answer.status !== 200) throw new Error(`The API answered ${answer.status}`);
        await answer.arrayBuffer();
      }
    }),
  );
  return costOf(before, service.figures(), total);
}

function costOf(before: TreeFigures, after: TreeFigures, requests: number): Cost {
  const used = (names: string[]) =>
    names.reduce(
      (sum, name) => sum + (after[name]?.cpuMicroseconds ?? 0) - (before[name]?.cpuMicroseconds ?? 0),
      0,
    ) / requests;
  return { web: used(['web']), all: used(Object.keys(after)) };
}
