import { expect } from 'chai';
import { formClient, signedIn } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('The response of the API reference', () => {
  const servers: TestService[] = [];
  const open = async (baseUrl: string) => {
    const service = await startService({ config: { baseUrl } });
    servers.push(service);
    return service;
  };
  after(() => Promise.all(servers.map((service) => service.stop())));

  it('is the same for every visitor who is not signed in, and compressed as accepted', async () => {
    const { url } = await open('https://qr.test');
    const responses = await Promise.all(
      ['br', 'gzip', 'identity'].map((encoding) =>
        fetch(`${url}/docs`, { headers: { 'Accept-Encoding': encoding, 'Accept-Language': 'de' } }),
      ),
    );
    const other = await fetch(`${url}/docs`, { headers: { 'Accept-Language': 'fr' } });
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

  it('of a signed-in user is not compressed: it contains a token, which works', async () => {
    const service = await open('https://qr.test');
    const anonymous = await (await formClient(service.url).get('/docs')).text();
    expect(anonymous).to.not.contain('csrfToken');
    const [first, second] = [
      await signedIn(service, 'first@example.com'),
      await signedIn(service, 'second@example.com'),
    ];
    const responses = [await first.get('/docs'), await second.get('/docs')];
    const tokens = await Promise.all(
      responses.map(async (response) => {
        expect(response.headers.get('Content-Encoding')).to.equal(null);
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
    const service = await open('https://qr.test/codes-of/us');
    const user = await signedIn(service, 'path@example.com');
    for (const client of [formClient(service.url), user]) {
      const text = await (await client.get('/docs')).text();
      const links = [...text.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map(([, link = '']) => link);
      expect(links).to.include.members(['/codes-of/us/api/v1/openapi.json', '/codes-of/us/keys']);
      expect(links.filter((link) => !link.startsWith('/codes-of/us/'))).to.deep.equal([]);
    }
  });
});
