import { expect } from 'chai';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { openBrowser } from './browser.ts';
import type { TestService } from './service.ts';
import { visit, visitAs, type WebVisitor } from './web-visitor.ts';

export interface Site {
  service: TestService;
  visit(options?: BrowserContextOptions): Promise<WebVisitor>;
  /** At another process of the service, where its address is given. */
  visitAs(email: string, options?: BrowserContextOptions, url?: string): Promise<WebVisitor>;
}

/**
 * Tests of what somebody sees and does in a browser; skipped where there is none. Whoever comes in a test leaves at its
 * end, whoever came before the first one at the end of all, and after each test nobody's pages have complained.
 */
export function inABrowser(
  title: string,
  openService: () => Promise<TestService> | TestService,
  tests: (site: Site) => void,
): void {
  describe(`${title} in a browser`, () => {
    let browser: Browser;
    let service: TestService;
    const present: WebVisitor[] = [];
    let staying = 0;

    before(async function () {
      const opened = await openBrowser();
      if (!opened) return this.skip();
      browser = opened;
      service = await openService();
    });
    beforeEach(() => {
      staying = present.length;
    });
    afterEach(async () => {
      const complaints = present.flatMap(unprovoked);
      await leave(present.splice(staying));
      expect(complaints).to.deep.equal([]);
    });
    after(() => leave(present.splice(0)));

    async function enter(coming: Promise<WebVisitor>): Promise<WebVisitor> {
      const visitor = await coming;
      present.push(visitor);
      return visitor;
    }
    tests({
      get service() {
        return service;
      },
      visit: (options) => enter(visit(browser, service.url, options)),
      visitAs: (email, options, url = service.url) =>
        enter(visitAs(browser, { url, db: service.db }, email, options)),
    });
  });
}

function unprovoked({ complaints, provoked }: WebVisitor): string[] {
  return complaints.splice(0).filter((text) => !provoked.some((pattern) => pattern.test(text)));
}

async function leave(visitors: WebVisitor[]): Promise<void> {
  await Promise.all(visitors.map(({ page }) => page.context().close()));
}
