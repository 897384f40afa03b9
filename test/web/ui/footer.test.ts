import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

const paths = ['/', '/docs', '/signin', '/nothing-here'];

inABrowser('The footer without links', sharedService, (site) => {
  it('is not shown', async () => {
    const { page } = await site.visit();
    for (const path of paths) {
      await page.goto(path);
      expect(await page.getByRole('contentinfo').count(), path).to.equal(0);
    }
  });
});

describe('The footer with links', () => {
  let service: TestService;
  const open = async () =>
    (service = await startService({
      config: {
        footerLinks: {
          privacy: 'https://example.com/privacy',
          imprint: undefined,
          terms: 'https://example.com/terms',
          contact: 'mailto:hello@example.com',
          source: 'https://example.com/source',
        },
      },
    }));
  after(() => service?.stop());

  inABrowser('The links of the environment', open, (site) => {
    const expected = [
      ['Privacy', 'https://example.com/privacy'],
      ['Terms', 'https://example.com/terms'],
      ['Contact', 'mailto:hello@example.com'],
      ['Source code', 'https://example.com/source'],
    ];

    it('are at the end of every page, in this order, without those that are not set', async () => {
      const { page } = await site.visitAs('footer@example.com');
      for (const path of [...paths, '/codes', '/keys', '/account']) {
        await page.goto(path);
        const links = await page.getByRole('contentinfo').getByRole('link').all();
        const shown = await Promise.all(
          links.map(async (link) => [await link.textContent(), await link.getAttribute('href')]),
        );
        expect(shown, path).to.deep.equal(expected);
      }
    });

    it('are accessible in both themes, fit the narrowest phone, and are not printed', async () => {
      const { page } = await site.visit(narrowPhone);
      for (const path of ['/signin', '/']) {
        await page.goto(path);
        expect(await isTooWide(page), path).to.equal(false);
        await expectAccessible(page);
      }
      const box = await page.getByRole('link', { name: 'Privacy' }).boundingBox();
      expect(box?.height).to.be.at.least(44);
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('contentinfo').isVisible()).to.equal(false);
    });
  });
});
