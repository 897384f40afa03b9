import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import type { TestService } from './service.ts';

/** Somebody with a browser of their own, whose pages must give no error. */
export interface WebVisitor {
  page: Page;
  /** What the pages complained about so far. */
  complaints: string[];
  leave(): Promise<void>;
}

export async function visit(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<WebVisitor> {
  const context = await browser.newContext({ baseURL, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refused form or a missing page is told to the console by the browser itself.
    const isStatus = /status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isStatus) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(baseURL) && !request.url().startsWith('data:'))
      complaints.push(`asked ${request.url()}`);
  });
  return { page, complaints, leave: () => context.close() };
}

/** Somebody who is signed in already, with an account of that e-mail: signing up by hand is what other tests show. */
export async function visitAs(
  browser: Browser,
  { url, db }: TestService,
  email: string,
  options: BrowserContextOptions = {},
): Promise<WebVisitor> {
  const visitor = await visit(browser, url, options);
  const user = await findOrCreateUser(db, email, new Date());
  const cookie = { name: '__Host-qrelay-session', value: await startSession(db, user.id, new Date()) };
  const { hostname } = new URL(url);
  await visitor.page
    .context()
    .addCookies([{ ...cookie, domain: hostname, path: '/', secure: true, httpOnly: true, sameSite: 'Lax' }]);
  return visitor;
}

export async function signUp({ page }: WebVisitor, email: string, password: string): Promise<void> {
  await page.goto('/signup');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL('**/keys');
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let axe: string | undefined;

interface AxeInPage {
  axe: { run(options: object): Promise<AxeResult> };
}

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/**
 * Every rule of axe-core; in the dark those about colours again, since the rest is the same document. The page's own
 * policy forbids foreign scripts: axe is put in by the debugger.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate((axe ??= await readFile(axePath, 'utf8')));
  for (const [colorScheme, options] of Object.entries({ light: {}, dark: { runOnly: ['cat.color'] } })) {
    await page.emulateMedia({ colorScheme: colorScheme as 'light' | 'dark' });
    const { violations } = await page.evaluate(
      (given) => (globalThis as unknown as AxeInPage).axe.run(given),
      options,
    );
    expect(
      violations.map(
        ({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      ),
    ).to.deep.equal([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
