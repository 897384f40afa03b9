import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient } from '../test/support/api-client.ts';
import { type Fixture, startFixture } from '../test/support/fixture.ts';
import { percentile, round } from './figures.ts';
import { openLoadProcess } from './load-process.ts';

const rounds = 4;
const seconds = 10;
const scansPerSecond = 400;
const printedCodes = 200;

/** Redirects at a steady rate, alone and while designs are proven, drawn and printed. The kinds take turns. */
export async function benchDesigns() {
  const fixture = await startFixture();
  const scanned = await fixture.makeCode();
  const designed = await fixture.makeCode();
  const printed = await createCodes(fixture, printedCodes);
  const kind = (name: string, perSecond: number, work: (number: number) => Promise<void>) => ({
    name,
    perSecond,
    work,
    durations: [] as number[],
    done: 0,
    errors: 0,
  });
  // Made ahead: a key must not be made by the process that measures, while it does.
  const keys = await makeKeys(fixture, 300);
  const put = async (number: number) => {
    // A color of its own each time: a proof that is known is not made again.
    const eyeBallColor = `#0000${(number % 128).toString(16).padStart(2, '0')}`;
    const gradientAngle = number % 360;
    const body = { moduleShape: 'dots', gradientColor: '#203060', gradientAngle, eyeBallColor };
    const api = apiClient(fixture.url, keys[number % keys.length] ?? '');
    const { status } = await api(`/qrcodes/${designed.id}/design`, { method: 'PUT', body });
    if (status !== 200) throw new Error(`the design responded with ${status}`);
  };
  const kinds = [
    kind('alone', 0, async () => undefined),
    kind('while designs are proven', 4, put),
    kind('while pictures of designed codes are drawn', 10, async (number) => {
      await fixture
        .db('qr_codes')
        .where({ id: designed.id })
        .update({ content: `https://example.com/${number}`, size: 2048 });
      await read(`${fixture.url}/r/${designed.shareToken}.png`);
    }),
    kind('while sheets of 200 labels are printed', 1, async (number) => {
      const headers = {
        Authorization: `Bearer ${keys[number % keys.length]}`,
        'Content-Type': 'application/json',
      };
      const body = JSON.stringify({ sheet: 'L7160', ids: printed });
      await read(`${fixture.url}/api/v1/qrcodes/labels`, { method: 'POST', headers, body });
    }),
  ];
  await put(359);
  const load = openLoadProcess();
  let number = 0;
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const figures of kinds) {
      load.start({ addresses: fixture.addresses(scanned), perSecond: scansPerSecond });
      const begun: Promise<void>[] = [];
      for (const endAt = performance.now() + seconds * 1_000; performance.now() < endAt; ) {
        if (figures.perSecond > 0) begun.push(figures.work((number += 1)));
        await sleep(1_000 / Math.max(figures.perSecond, 1));
      }
      const { durationsMs, faults } = await load.stop();
      // The first ones of all warm the process up.
      if (turn > 0) figures.durations.push(...durationsMs);
      figures.errors += Object.values(faults).reduce((sum, count) => sum + count, 0);
      for (const outcome of await Promise.allSettled(begun)) {
        if (outcome.status === 'fulfilled') figures.done += 1;
        else figures.errors += 1;
      }
    }
  }
  load.close();
  await fixture.stop();
  const alone = percentile(kinds[0]?.durations ?? [], 99);
  const table = kinds.map(({ name, durations, done, errors }) => ({
    redirects: name,
    count: durations.length,
    'p50 ms': round(percentile(durations, 50), 1),
    'p99 ms': round(percentile(durations, 99), 1),
    'p99 of alone': round(percentile(durations, 99) / alone, 2),
    'proven, drawn or printed': done,
    errors,
  }));
  return { table };
}

async function makeKeys(fixture: Fixture, count: number): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < count) keys.push(await fixture.makeKey());
  return keys;
}

async function createCodes(fixture: Fixture, count: number): Promise<string[]> {
  const api = apiClient(fixture.url, await fixture.makeKey());
  const codes = Array.from({ length: count }, (_, number) => ({
    name: `Table ${number}`,
    content: `https://example.com/tables/${number}`,
  }));
  const { body } = await api('/qrcodes/bulk', { method: 'POST', body: { codes } });
  return (body as { data: { code: { id: string } }[] }).data.map(({ code }) => code.id);
}

async function read(url: string, init?: RequestInit): Promise<void> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} responded with ${response.status}`);
}
