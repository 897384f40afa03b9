import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

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

export async function signUp({ page }: WebVisitor, email: string, password: string): Promise<void> {
  await page.goto('/signup');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL('**/keys');
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Every rule of axe-core, in both themes. The page's own policy forbids foreign scripts: it is put in by the debugger. */
export async function expectAccessible(page: Page): Promise<void> {
  const axe = await readFile(axePath, 'utf8');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run(),
    );
    expect(
      violations.map(
        ({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      ),
    ).to.deep.equal([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
