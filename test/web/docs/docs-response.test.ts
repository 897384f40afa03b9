import { expect } from 'chai';
import { formClient, signedIn } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

describe('The response of the docs', () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });

  it('is small on every page', async () => {
    const { url } = service;
    const paths = (await (await fetch(`${url}/docs`)).text()).matchAll(/<a href="(\/docs[^"#]*)"/g);
    for (const path of new Set([...paths].map(([, each]) => each))) {
      const { headers } = await fetch(`${url}${path}`, { headers: { 'Accept-Encoding': 'gzip' } });
      expect(Number(headers.get('Content-Length')), path).to.be.within(1_000, 20_000);
    }
  });

  it('is the same for every visitor who is not signed in, and compressed as accepted', async () => {
    const { url } = service;
    const responses = await Promise.all(
      ['br', 'gzip', 'identity'].map((encoding) =>
        fetch(`${url}/docs/qr-codes`, {
          headers: { 'Accept-Encoding': encoding, 'Accept-Language': 'de' },
        }),
      ),
    );
    const other = await fetch(`${url}/docs/qr-codes`, { headers: { 'Accept-Language': 'fr' } });
    expect(responses.map(({ headers }) => headers.get('Content-Encoding'))).to.deep.equal([
      'br',
      'gzip',
      null,
    ]);
    const [text, ...others] = await Promise.all([...responses, other].map((response) => response.text()));
    expect(text)
      .to.match(/^<!doctype html>\n<html .*<\/html>\n$/s)
      .and.to.contain('id="createQrCode"');
    for (const each of others) expect(each === text).to.equal(true);
    for (const { headers } of responses) {
      expect(headers.get('Vary')).to.contain('Accept-Encoding');
      expect(headers.get('Cache-Control')).to.equal('no-store');
    }
    expect(Number(responses[0]?.headers.get('Content-Length'))).to.be.below((text?.length ?? 0) / 8);
  });

  it('of a signed-in user is compressed, too, with a token that works', async () => {
    const anonymous = await (await formClient(service.url).get('/docs/qr-codes')).text();
    expect(anonymous).to.not.contain('csrfToken');
    const [first, second] = [
      await signedIn(service, 'docs-first@example.com'),
      await signedIn(service, 'docs-second@example.com'),
    ];
    const responses = [await first.get('/docs/qr-codes'), await second.get('/docs/qr-codes')];
    const tokens = await Promise.all(
      responses.map(async (response) => {
        expect(response.headers.get('Content-Encoding')).to.be.oneOf(['br', 'gzip']);
        const text = await response.text();
        expect(text).to.contain('id="createQrCode"').and.to.contain('Sign out');
        return /name="csrfToken" value="([^"]+)"/.exec(text)?.[1];
      }),
    );
    expect(tokens[0]).to.be.a('string').and.not.equal(tokens[1]);
    const signedOut = await first.post('/signout', {});
    expect([signedOut.status, signedOut.headers.get('Location')]).to.deep.equal([303, '/']);
  });

  it('has the path of BASE_URL in all its links, signed in or not', async () => {
    const elsewhere = await startService({ config: { baseUrl: 'https://qr.test/codes-of/us' } });
    const user = await signedIn(elsewhere, 'path@example.com');
    for (const client of [formClient(elsewhere.url), user]) {
      for (const path of ['/docs', '/docs/requests', '/docs/account', '/docs?q=key']) {
        const text = await (await client.get(path)).text();
        const links = [...text.matchAll(/ (?:href|src|action|data-path)="(\/[^"]*)"/g)].map(
          ([, link = '']) => link,
        );
        expect(links).to.include('/codes-of/us/docs/errors');
        expect(links.filter((link) => !link.startsWith('/codes-of/us/'))).to.deep.equal([]);
        expect(links.filter((link) => link.startsWith('/codes-of/us/codes-of/'))).to.deep.equal([]);
      }
    }
    const index = (await (await fetch(`${elsewhere.url}/docs/search.json`)).json()) as { href: string }[];
    for (const { href } of index) expect(href).to.match(/^\/codes-of\/us\/docs/);
    await elsewhere.stop();
  });
});
