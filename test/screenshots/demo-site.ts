import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser, findUserByEmail, setAdmin } from '../../src/accounts/users.ts';
import type { Database } from '../../src/store/database.ts';
import { outcomeOf } from '../support/programs.ts';
import { startService, type TestService } from '../support/service.ts';

/** A Thursday afternoon: the last bar of the chart is a day that is not over. */
const now = new Date('2026-11-12T16:20:00.000Z');
export const demoEmail = 'demo@example.com';
const scans = 12_000;

interface Cookie {
  name: string;
  value: string;
}

export interface DemoSite {
  url: string;
  now: Date;
  service: TestService;
  /** Of a session of the demo account, and of an operator's. */
  cookie: Cookie;
  operatorCookie: Cookie;
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
  const service = await startService({ config: { baseUrl: 'https://qr.example', isDevelopment: true } });
  service.setNow(now);
  await runDemo(service.databaseUrl);
  const codes = await nameTokens(service.db);
  const user = await findUserByEmail(service.db, demoEmail);
  const operator = await findOrCreateUser(service.db, 'operator@example.com', now);
  await setAdmin(service.db, operator, true, now);
  const cookieOf = async ({ id }: { id: string }) => ({
    name: '__Host-qrelay-session',
    value: await startSession(service.db, id, now),
  });
  const code = (name: string) => {
    const found = codes.find((each) => each.name === name);
    if (!found) throw new Error(`The demo has no code named ${name}: see src/demo/demo-codes.ts`);
    return found;
  };
  return {
    url: service.url,
    now,
    service,
    cookie: await cookieOf(user),
    operatorCookie: await cookieOf(operator),
    codePath: (name) => `/codes/${code(name).id}`,
    sharePath: (name) => `/r/${code(name).shareToken}`,
    stop: () => service.stop(),
  };
}

export const readers = ['visitor', 'owner', 'operator'] as const;
export type Reader = (typeof readers)[number];

/** A window on the site in which nothing moves, with the session of that reader. */
export async function openDemoContext(
  browser: Browser,
  site: DemoSite,
  { reader = 'owner', ...options }: BrowserContextOptions & { reader?: Reader },
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: site.url,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  });
  if (reader === 'visitor') return context;
  const cookie = reader === 'owner' ? site.cookie : site.operatorCookie;
  const { hostname } = new URL(site.url);
  await context.addCookies([
    { ...cookie, domain: hostname, path: '/', secure: true, httpOnly: true, sameSite: 'Lax' },
  ]);
  return context;
}

/** Those below the edge of the window are loaded late, and a picture would show some of them and not others. */
const loadImages = `Promise.all([...document.images].map((image) => {
  image.loading = 'eager';
  return image.decode();
}))`;

/** Opens a page at the time of the site, with all of its images. */
export async function openDemoPage(context: BrowserContext, site: DemoSite, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.clock.setFixedTime(site.now);
  // The page of a code keeps a stream open, so the network is never idle.
  await page.goto(path, { waitUntil: 'load' });
  await page.evaluate(loadImages);
  return page;
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
      demoEmail,
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
