import type { BrowserContextOptions, Page } from 'playwright-core';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { defaultLimits } from '../../../src/limits.ts';
import { createCode, type NewCode } from '../../../src/codes/codes.ts';
import type { QrCode } from '../../../src/codes/qr-code.ts';
import type { Database } from '../../../src/store/database.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import type { Site } from '../../support/in-a-browser.ts';
import { type PlainBrowser, plainBrowser } from '../../support/plain-browser.ts';
import type { TestService } from '../../support/service.ts';
import type { WebVisitor } from '../../support/web-visitor.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

/** The page of a code, or the one on which a new code is downloaded. */
export const newCodePage = /\/codes\/([0-9a-f-]{36})(?:\/ready)?$/;

let users = 0;

/** A user with a browser, and what the tests of the list and of the forms do with their codes. */
export interface CodeOwner {
  email: string;
  visitor: WebVisitor;
  page: Page;
  /** As another user from now on. */
  enter(options?: BrowserContextOptions): Promise<void>;
  api(): Promise<ApiClient>;
  store(changes?: Partial<NewCode>): Promise<QrCode>;
  /** As the API has it. */
  stored(id: string): Promise<Record<string, unknown>>;
  fillIn(fields: Record<string, string>): Promise<void>;
  /** Of the codes on the open page. */
  names(): Promise<string[]>;
}

export function codeOwner(site: Site): CodeOwner {
  let visitor: WebVisitor;
  let email = '';
  let client: Promise<ApiClient> | undefined;
  const owner: CodeOwner = {
    get email() {
      return email;
    },
    get visitor() {
      return visitor;
    },
    get page() {
      return visitor.page;
    },
    async enter(options) {
      email = `codes-${(users += 1)}@example.com`;
      client = undefined;
      visitor = await site.visitAs(email, options);
    },
    api() {
      client ??= site.service.makeKey({ email }).then((key) => apiClient(site.service.url, key));
      return client;
    },
    store: (changes) => storeCode(site.service.db, email, changes),
    async stored(id) {
      return (await (await owner.api())(`/qrcodes/${id}`)).body as Record<string, unknown>;
    },
    async fillIn(fields) {
      for (const [label, text] of Object.entries(fields))
        await visitor.page.getByLabel(label, { exact: true }).fill(text);
    },
    names: () => visitor.page.locator('tbody th bdi').allTextContents(),
  };
  return owner;
}

/** A user with a browser that needs no screen: for what can be seen in the HTML. */
export interface PlainOwner extends Pick<CodeOwner, 'email' | 'store' | 'stored'> {
  browser: PlainBrowser;
  api: ApiClient;
  /** The code whose page is open. */
  opened(): string;
}

/** A new user, or that one. */
export async function plainOwner(
  service: TestService,
  email = `codes-${(users += 1)}@example.com`,
): Promise<PlainOwner> {
  const api = apiClient(service.url, await service.makeKey({ email }));
  const browser = await plainBrowser(service, email);
  return {
    email,
    api,
    browser,
    store: (changes) => storeCode(service.db, email, changes),
    stored: async (id) => (await api(`/qrcodes/${id}`)).body as Record<string, unknown>,
    opened: () => newCodePage.exec(browser.path)?.[1] ?? `not the page of a code: ${browser.path}`,
  };
}

export async function storeCode(
  db: Database,
  email: string,
  changes: Partial<NewCode> = {},
): Promise<QrCode> {
  const { id } = await findOrCreateUser(db, email, new Date());
  const code: NewCode = {
    name: 'Menu',
    type: 'url',
    content: 'https://example.com/',
    foregroundColor: '#000000',
    backgroundColor: '#ffffff',
    size: 256,
    errorCorrection: 'M',
    category: null,
    ...changes,
  };
  return createCode(db, id as WorkspaceId, code, {
    lifetimeDays: 365,
    limits: defaultLimits,
    now: new Date(),
  });
}
