import type { Page } from 'playwright-core';
import { Scan, type ScanRow } from '../../../src/scans/scan.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import type { Site } from '../../support/in-a-browser.ts';
import { scanRow } from '../../support/scan-rows.ts';
import { createCode, type SharedCode } from '../../support/share.ts';
import type { WebVisitor } from '../../support/web-visitor.ts';

const dayMs = 86_400_000;
let users = 0;

type Made = [days: number, changes?: Partial<ScanRow>];

export const inWords = (date: string): string =>
  new Date(date).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' });
export const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString();

/** A new code in each test, its owner with a browser, and scans that were made some days ago. */
export interface CodePage {
  email: string;
  visitor: WebVisitor;
  page: Page;
  api: ApiClient;
  code: SharedCode;
  record(scans: Made[]): Promise<unknown>;
  /** Of every dimension more than one value. */
  recordVariety(): Promise<unknown>;
}

export function codePage(site: Site): CodePage {
  let current: Pick<CodePage, 'email' | 'visitor' | 'api' | 'code'>;
  beforeEach(async () => {
    const email = `code-page-${(users += 1)}@example.com`;
    const visitor = await site.visitAs(email);
    const api = apiClient(site.service.url, await site.service.makeKey({ email }));
    current = { email, visitor, api, code: await createCode(api, { name: 'Poster «Café»' }) };
  });
  const record = (scans: Made[]) =>
    Scan.record(
      site.service.db,
      scans.map(([days, changes]) => scanRow(current.code.id, daysAgo(days), changes)),
    );
  return {
    get email() {
      return current.email;
    },
    get visitor() {
      return current.visitor;
    },
    get page() {
      return current.visitor.page;
    },
    get api() {
      return current.api;
    },
    get code() {
      return current.code;
    },
    record,
    recordVariety: () => record(variety),
  };
}

const berlin = { country: 'DE', region: 'BE', city: 'Berlin' };
/** Of every dimension more than one value. */
export const variety: Made[] = [
  [0],
  [0, { ...berlin, device: 'desktop', browser: 'Firefox', os: 'Linux' }],
  [1, { ...berlin, browser: 'Chrome', os: 'Android' }],
  [5, { country: 'ZZ', region: null, city: null, device: 'unknown', browser: 'Unknown', os: 'Unknown' }],
  [20, { country: 'US', region: 'IL', city: 'Springfield' }],
  [20, { country: 'US', region: 'MA', city: 'Springfield' }],
  [200, { country: 'SG', region: '', city: 'Singapore', device: 'tablet' }],
];

export function tableRows(page: Page, caption: string): Promise<string[][]> {
  return page
    .getByRole('table', { name: caption, exact: true })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => (cell.textContent ?? '').trim())),
    );
}
