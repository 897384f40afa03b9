import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../src/store/database.ts';
import { startFixture } from '../test/support/fixture.ts';
import { measure } from './client.ts';
import { median, round } from './figures.ts';

const rounds = 4;
const secondsPerRound = 3;
const codesPerRound = 400;

/** Redirect latency while images of 2048 pixels are drawn, none of them cached. */
export async function benchImages() {
  const fixture = await startFixture({ workers: 0 });
  const code = await fixture.makeCode();
  const [address = ''] = fixture.addresses(code);
  const runs = { alone: [] as Run[], drawing: [] as Run[] };
  await measure(address, 2);
  for (let number = 0; number < rounds; number += 1) {
    runs.alone.push({ ...(await measure(address, secondsPerRound)), drawn: 0 });
    const tokens = await makeLargeCodes(fixture.db, code.id, number);
    const stop = new AbortController();
    const drawing = drawEach(fixture.url, tokens, stop.signal);
    const measured = await measure(address, secondsPerRound);
    stop.abort();
    runs.drawing.push({ ...measured, drawn: await drawing });
  }
  await fixture.stop();
  const row = (name: string, measured: Run[]) => ({
    lane: name,
    'requests/s': Math.round(median(measured.map(({ requests, seconds }) => requests / seconds))),
    'p50 ms': round(median(measured.map(({ p50 }) => p50)), 2),
    'p99 ms': round(median(measured.map(({ p99 }) => p99)), 2),
    'p99.9 ms': round(median(measured.map(({ p999 }) => p999)), 2),
    'images drawn': measured.reduce((sum, { drawn }) => sum + drawn, 0),
  });
  return { table: [row('alone', runs.alone), row('while images are drawn', runs.drawing)] };
}

type Run = Awaited<ReturnType<typeof measure>> & { drawn: number };

async function makeLargeCodes(db: Database, like: string, number: number): Promise<string[]> {
  const { rows } = (await db.raw(
    `INSERT INTO qr_codes (id, user_id, share_token, name, type, content, foreground_color, background_color, size,
       error_correction, category, is_public, is_favorite, created_at, updated_at, expires_at)
     SELECT gen_random_uuid(), user_id, substr(md5(CAST(:number AS text) || '-' || n), 1, 10), name, type, content || '#' || n,
       foreground_color, background_color, 2048, 'H', category, true, false, created_at, updated_at, expires_at
     FROM qr_codes, generate_series(1, CAST(:count AS int)) AS n WHERE id = :like
     RETURNING share_token AS token`,
    { like, number: String(number), count: codesPerRound },
  )) as { rows: { token: string }[] };
  return rows.map(({ token }) => token);
}

/** Requests ten images a second, as when someone pages through a list of codes. Returns how many were drawn. */
async function drawEach(url: string, tokens: string[], signal: AbortSignal): Promise<number> {
  let drawn = 0;
  for (const token of tokens) {
    if (signal.aborted) break;
    const response = await fetch(`${url}/r/${token}.png`);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`an image responded with ${response.status}`);
    drawn += 1;
    await sleep(100);
  }
  return drawn;
}
