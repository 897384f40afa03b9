import { expect } from 'chai';
import { expectAccessible } from '../../support/accessible.ts';
import { narrowPhone } from '../../support/browser.ts';
import { type FormClient, formClient, signedIn } from '../../support/form-client.ts';
import { elementsIn, partOf } from '../../support/html.ts';
import { inABrowser } from '../../support/in-a-browser.ts';
import { startService, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { isTooWide } from '../../support/web-visitor.ts';

const paths = ['/docs', '/signin', '/nothing-here'];

describe('The footer', () => {
  let service: TestService;
  before(async () => {
    service = await startService({
      config: {
        footerLinks: {
          privacy: 'https://example.com/privacy',
          imprint: undefined,
          terms: 'https://example.com/terms',
          contact: 'mailto:hello@example.com',
          source: 'https://example.com/source',
        },
      },
    });
  });
  after(() => service.stop());

  it('has links into the service on the landing page, before those of the environment', async () => {
    const linksFor = async ({ get }: Pick<FormClient, 'get'>) =>
      elementsIn(partOf(await (await get('/')).text(), 'footer'), 'a').map(({ text }) => text);
    expect(await linksFor(formClient((await sharedService()).url))).to.deep.equal([
      'Docs',
      'Live demo',
      'Sign in',
      'Sign up',
    ]);
    expect(await linksFor(await signedIn(service, 'landing-footer@example.com'))).to.deep.equal([
      'Docs',
      'Privacy',
      'Terms',
      'Contact',
      'Source code',
    ]);
  });

  it('is not shown on other pages without links', async () => {
    const client = formClient((await sharedService()).url);
    for (const path of paths)
      expect(await (await client.get(path)).text(), path)
        .to.contain('</main>')
        .and.not.to.contain('<footer');
  });

  it('has the links of the environment at the end of every page, in order, without those that are not set', async () => {
    const stranger = formClient(service.url);
    const user = await signedIn(service, 'footer@example.com');
    for (const path of [...paths, '/codes', '/keys', '/account']) {
      const page = await (await (path === '/signin' ? stranger : user).get(path)).text();
      expect(page, path).to.match(/<\/main>\s*<footer[^]*<\/footer>/);
      const links = elementsIn(partOf(page, 'footer'), 'a');
      expect(links.map(({ text, attributes }) => [text, attributes['href']])).to.deep.equal([
        ['Privacy', 'https://example.com/privacy'],
        ['Terms', 'https://example.com/terms'],
        ['Contact', 'mailto:hello@example.com'],
        ['Source code', 'https://example.com/source'],
      ]);
    }
  });

  inABrowser(
    'The footer',
    () => service,
    (site) => {
      it('is accessible in both themes, fits the narrowest phone, and is not printed', async () => {
        const { page } = await site.visit(narrowPhone);
        for (const path of ['/', '/signin']) {
          await page.goto(path);
          expect(await isTooWide(page), path).to.equal(false);
        }
        await expectAccessible(page);
        const box = await page.getByRole('link', { name: 'Privacy' }).boundingBox();
        expect(box?.height).to.be.at.least(44);
        await page.emulateMedia({ media: 'print' });
        expect(await page.getByRole('contentinfo').isVisible()).to.equal(false);
      });
    },
  );
});
