import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startSession } from '../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import type { TestService } from './service.ts';

/** Somebody with a browser of their own, whose pages must give no error. */
export interface WebVisitor {
  page: Page;
  /** Of the console, uncaught errors, dialogs, what is missing in a page, requests to other hosts. */
  complaints: string[];
  /** The complaints that a test provokes, and no others. */
  provoked: RegExp[];
}

export async function visit(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<WebVisitor> {
  const context = await browser.newContext({ baseURL, ...options });
  // On a machine that is busy with other tests, half a minute is too short for some pages.
  context.setDefaultTimeout(60_000);
  const visitor: WebVisitor = { page: await context.newPage(), complaints: [], provoked: [] };
  watch(visitor, baseURL);
  return visitor;
}

function watch({ page, complaints }: WebVisitor, baseURL: string): void {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined); // the page is closing
  });
  page.on('console', (message) => {
    const text = message.text();
    // A Chromium with windows wants a touch before it opens an app: see `appsAskedFor`.
    if (/^Not allowed to launch '.*' because a user gesture is required\.$/.test(text)) return;
    // Told of pages too, which may be missing, and of forms, which may be refused: see the responses.
    if (/status of 4\d\d/.test(text)) return;
    if (['error', 'warning'].includes(message.type())) complaints.push(text);
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest())
      complaints.push(`${response.status()} ${response.url()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== baseURL) complaints.push(`asked ${request.url()}`);
  });
}

/** The addresses that the page will have asked an app to open. No browser of the tests knows an app for any. */
export async function appsAskedFor(page: Page): Promise<string[]> {
  const asked: string[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Page.frameRequestedNavigation', ({ url }) => {
    if (!url.startsWith('http')) asked.push(url);
  });
  await session.send('Page.enable');
  return asked;
}

/** Somebody who is signed in already, with an account of that e-mail: signing up by hand is what other tests show. */
export async function visitAs(
  browser: Browser,
  { url, db }: Pick<TestService, 'url' | 'db'>,
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

/** By the form. */
export async function signUp(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signup');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL('**/codes');
}

/** Whether there is more than fits the width of the screen. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
