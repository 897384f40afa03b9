import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { formClient, signedIn } from '../support/form-client.ts';
import { sharedService } from '../support/shared-service.ts';
import type { TestService } from '../support/service.ts';
import { storeCode } from './codes/code-owner.ts';

const accepted = { 'Accept-Encoding': 'gzip, br' };
const encodingOf = ({ headers }: Response) => headers.get('Content-Encoding');
const tokenOf = async (page: Response) =>
  /name="csrfToken" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';

describe('Pages', () => {
  let service: TestService;
  before(async () => {
    service = await sharedService();
  });

  it('are compressed unless another site could have chosen something that they reflect', async () => {
    const user = await signedIn(service, 'compressed@example.com');
    for (const path of ['/', '/signin', '/docs']) {
      const page = await formClient(service.url).get(path, accepted);
      expect([encodingOf(page), page.headers.get('Vary')], path).to.deep.equal(['br', 'Accept-Encoding']);
    }
    for (const path of ['/codes', '/keys', '/account', '/codes/new']) {
      expect(encodingOf(await user.get(path, accepted)), path).to.equal('br');
      expect(encodingOf(await user.get(path, { 'Accept-Encoding': 'gzip' })), path).to.equal('gzip');
      expect(encodingOf(await user.get(path, { 'Accept-Encoding': 'identity' })), path).to.equal(null);
    }
    for (const path of ['/codes?q=menu', '/codes/new?type=wifi&name=menu']) {
      expect(encodingOf(await user.get(path, accepted)), path).to.equal(null);
      for (const site of ['cross-site', 'same-site', 'none', '', 'same-origin, cross-site']) {
        const page = await user.get(path, { ...accepted, 'Sec-Fetch-Site': site });
        expect([encodingOf(page), page.headers.get('Vary')], site).to.deep.equal([null, 'Accept-Encoding']);
      }
      const ours = await user.get(path, { ...accepted, 'Sec-Fetch-Site': 'same-origin' });
      expect(encodingOf(ours), path).to.equal('br');
    }
    const refused = await user.post('/keys', { name: '' }, accepted);
    expect([refused.status, encodingOf(refused)]).to.deep.equal([400, null]);
  });

  it('take less than 40 KB on the wire for a list of 100 codes', async () => {
    const email = 'owner-of-100@example.com';
    const user = await signedIn(service, email);
    // As different as codes are, because equal ones compress better.
    const words = [
      'Menu',
      'Table',
      'Garden',
      'Spring',
      'Invoice',
      'Poster',
      'Flyer',
      'Entrance',
      'Booth',
      'Van',
    ];
    const word = (index: number) => String(words[index % words.length]);
    const today = new Date();
    for (let index = 0; index < 100; index += 1) {
      const { id } = await storeCode(service.db, email, {
        name: `${word(index)} ${word(Math.floor(index / 10))} ${index}`,
        category: word(7 * index),
        content: `https://${word(3 * index)}.example.com/${randomBytes(12).toString('base64url')}`,
      });
      await service.db('scan_counters').insert(
        Array.from({ length: 30 }, (_, day) => ({
          qr_code_id: id,
          day: new Date(today.getTime() - day * 86_400_000).toISOString().slice(0, 10),
          dimension: 'total',
          value: '',
          count: (index * 13 + day * day * 7) % 50,
        })),
      );
    }
    for (const encoding of ['br', 'gzip']) {
      const headers = { 'Accept-Encoding': encoding, 'Sec-Fetch-Site': 'same-origin' };
      const page = await user.get('/codes?perPage=100', headers);
      expect(encodingOf(page)).to.equal(encoding);
      const html = await page.text();
      expect(html.match(/<div class="code-name"/g)).to.have.length(100);
      expect(html).to.contain(' at most 49 a day');
      const bytes = Number(page.headers.get('Content-Length'));
      expect(bytes).to.be.within(5_000, 40_000);
    }
  });

  it('have the token that release 0.2 reads, and accept none that is made up', async () => {
    const user = await signedIn(service, 'older@example.com');
    const token = await tokenOf(await user.get('/keys'));
    expect(token).to.match(/^[\w-]{43}\.[\w-]{43}$/);
    expect((await user.post('/keys', { name: 'Key', csrfToken: token })).status).to.equal(303);
    const [ofVisitor = '', ofUser = ''] = token.split('.');
    const forged = createHmac('sha256', 'guess').update('x').digest('base64url');
    for (const csrfToken of ['', '.', '..', forged, `${forged}.${ofUser}`, `${ofVisitor}.${forged}`])
      expect((await user.post('/keys', { name: 'Forged', csrfToken })).status, csrfToken).to.equal(403);
  });
});
