import { setTimeout as sleep } from 'node:timers/promises';
import { png } from '../test/codes/files/logo-files.ts';
import { apiClient } from '../test/support/api-client.ts';
import { type Fixture, startFixture } from '../test/support/fixture.ts';
import { cpuMicroseconds } from './cpu.ts';
import { round } from './figures.ts';

const codeCount = 60;
const pollMs = 50;

const styles = [
  { name: 'Dots', moduleShape: 'dots' },
  { name: 'Frame', moduleShape: 'rounded', gradientColor: '#203060', frame: 'band', frameText: 'Scan me' },
  { name: 'Logo', moduleShape: 'rounded', logo: true },
];

/** One worker process applies each style to 60 codes of different colors, lengths and error correction. */
export async function benchStyles() {
  const fixture = await startFixture();
  const api = apiClient(fixture.url, await fixture.makeKey());
  const codeIds = await createCodes(api);
  const table: Record<string, string | number>[] = [];
  for (const { logo, ...body } of styles) {
    const { id } = (await api('/styles', { method: 'POST', body })).body as { id: string };
    if (logo)
      await api(`/styles/${id}/logo`, {
        method: 'PUT',
        raw: new Uint8Array(png()),
        headers: { 'Content-Type': 'image/png' },
      });
    const worker = fixture.workers[0]?.process.pid;
    const cpuBefore = cpuMicroseconds(worker);
    const begun = performance.now();
    const { status, body: application } = await api(`/styles/${id}/apply`, {
      method: 'POST',
      body: { codeIds },
    });
    if (status !== 202) throw new Error(`the request responded with ${status}`);
    const outcome = await outcomeOf(fixture, (application as { id: string }).id);
    const seconds = (performance.now() - begun) / 1_000;
    table.push({
      style: body.name,
      codes: codeCount,
      ...outcome,
      seconds: round(seconds, 1),
      'codes/s': round(codeCount / seconds, 1),
      'CPU ms/code': round((cpuMicroseconds(worker) - cpuBefore) / 1_000 / codeCount, 0),
    });
  }
  await fixture.stop();
  return { table };
}

async function createCodes(api: ReturnType<typeof apiClient>): Promise<string[]> {
  const codes = Array.from({ length: codeCount }, (_, number) => ({
    name: `Table ${number}`,
    content: `https://example.com/tables/${'x'.repeat(number)}`,
    foregroundColor: `#0000${(number * 2).toString(16).padStart(2, '0')}`,
    errorCorrection: 'LMQH'[number % 4],
  }));
  const { body } = await api('/qrcodes/bulk', { method: 'POST', body: { codes } });
  return (body as { data: { code: { id: string } }[] }).data.map(({ code }) => code.id);
}

/** Read from the database: the rate limit of the API does not allow so many requests. */
async function outcomeOf({ db }: Fixture, id: string): Promise<{ applied: number; refused: number }> {
  for (;;) {
    const rows = (await db('style_application_codes').where({ application_id: id }).select('is_applied')) as {
      is_applied: boolean | null;
    }[];
    const count = (outcome: boolean | null) => rows.filter((row) => row.is_applied === outcome).length;
    if (count(null) === 0) return { applied: count(true), refused: count(false) };
    await sleep(pollMs);
  }
}
