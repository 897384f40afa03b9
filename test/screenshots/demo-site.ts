import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startSession } from '../../src/accounts/sessions.ts';
import { findUserByEmail } from '../../src/accounts/users.ts';
import type { Database } from '../../src/store/database.ts';
import { outcomeOf } from '../support/programs.ts';
import { startService } from '../support/service.ts';

/** A Thursday afternoon: the last bar of the chart is a day that is not over. */
const now = new Date('2026-11-12T16:20:00.000Z');
const email = 'demo@example.com';
const scans = 12_000;

export interface DemoSite {
  url: string;
  now: Date;
  /** Of a session of the demo account. */
  cookie: { name: string; value: string };
  /** Paths of the pages, by the name of their code. */
  codePath(name: string): string;
  sharePath(name: string): string;
  stop(): Promise<void>;
}

interface DemoCode {
  id: string;
  name: string;
  shareToken: string;
}

/** A service that shows the data of `qrelay demo`, with nothing random in what its pages show. */
export async function startDemoSite(): Promise<DemoSite> {
  const service = await startService({ config: { baseUrl: 'https://qr.example' } });
  service.setNow(now);
  await runDemo(service.databaseUrl);
  const codes = await nameTokens(service.db);
  const user = await findUserByEmail(service.db, email);
  const code = (name: string) => {
    const found = codes.find((each) => each.name === name);
    if (!found) throw new Error(`The demo has no code named ${name}: see src/cli/demo-codes.ts`);
    return found;
  };
  return {
    url: service.url,
    now,
    cookie: { name: '__Host-qrelay-session', value: await startSession(service.db, user.id, now) },
    codePath: (name) => `/codes/${code(name).id}`,
    sharePath: (name) => `/r/${code(name).shareToken}`,
    stop: () => service.stop(),
  };
}

async function runDemo(databaseUrl: string): Promise<void> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      new URL('fixed-clock.mjs', import.meta.url).href,
      fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url)),
      'demo',
      '--email',
      email,
      '--scans',
      String(scans),
    ],
    { env: { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: '', FIXED_NOW: now.toISOString() } },
  );
  const { code, stderr } = await outcomeOf(child);
  if (code !== 0) throw new Error(`qrelay demo failed: ${stderr}`);
}

/** Share tokens are random, and printed on the pages: these are made from the names instead. */
async function nameTokens(db: Database): Promise<DemoCode[]> {
  const codes = (await db('qr_codes').select('id', 'name')) as Omit<DemoCode, 'shareToken'>[];
  return Promise.all(
    codes.map(async (code) => {
      const shareToken = createHash('sha256').update(code.name).digest('hex').slice(0, 10);
      await db('qr_codes').where({ id: code.id }).update({ share_token: shareToken });
      return { ...code, shareToken };
    }),
  );
}
