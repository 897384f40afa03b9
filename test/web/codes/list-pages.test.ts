import { expect } from 'chai';
import { updateCode } from '../../../src/codes/codes.ts';
import type { QrCode } from '../../../src/codes/qr-code.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { storeCode } from './code-owner.ts';

const email = 'owner-of-list@example.com';

/** What needs no browser: what the pages of the list contain, and to whom they answer. */
describe('The pages of QR codes', () => {
  let service: TestService;
  let owner: FormClient;
  let stranger: FormClient;

  before(async () => {
    service = await sharedService();
    owner = await signedIn(service, email);
    stranger = await signedIn(service, `stranger-of-${email}`);
  });

  const store = (name: string) => storeCode(service.db, email, { name });

  it('list 20 codes each, favorites first, each once, forward and back', async () => {
    const codes: QrCode[] = [];
    for (let index = 0; index < 45; index += 1) codes.push(await store(`Code ${index}`));
    for (const code of codes.filter((_, index) => index % 2 === 0))
      await updateCode(service.db, code, { isFavorite: true }, new Date());
    const newestFirst = codes.map(({ name }) => name).toReversed();
    const isMarked = (name: string) => Number(name.split(' ')[1]) % 2 === 0;
    const wanted = [...newestFirst.filter(isMarked), ...newestFirst.filter((name) => !isMarked(name))];
    const read = async (path: string) => {
      const html = await (await owner.get(path)).text();
      const linkTo = (name: string) =>
        new RegExp(`<a class="button quiet" href="([^"]+)">${name}</a>`).exec(html)?.[1];
      return {
        html,
        names: [...html.matchAll(/<th scope="row">.*?<bdi>(.*?)<\/bdi>/gs)].map(([, name]) => name),
        next: linkTo('Next page')?.replaceAll('&amp;', '&'),
        previous: linkTo('Previous page')?.replaceAll('&amp;', '&'),
      };
    };
    let shown = await read('/codes');
    const seen = [shown.names];
    while (shown.next) {
      shown = await read(shown.next);
      seen.push(shown.names);
    }
    expect(seen.map((one) => one.length)).to.deep.equal([20, 20, 5]);
    expect(seen.flat()).to.deep.equal(wanted);
    const back = [];
    while (shown.previous) {
      shown = await read(shown.previous);
      back.unshift(shown.names);
    }
    expect(back).to.deep.equal(seen.slice(0, 2));
    expect(shown.html).to.contain('>45 codes<');
    // A page that has become too short is filled up, and is then the first.
    expect((await read(`/codes?before=1-${codes[40]?.id}`)).names).to.deep.equal(seen[0]);
  });

  it('never redirect to another site from their forms', async () => {
    const { id } = await store('Mine');
    await owner.get('/codes');
    for (const back of [
      'https://evil.test/',
      '//evil.test',
      '/codes/../x',
      '/codes#x',
      '/codes#code-1/../',
      '/codes\\@evil',
    ]) {
      const answer = await owner.post(`/codes/${id}/favorite`, { back, isFavorite: 'true' });
      expect(answer.headers.get('location'), back).to.equal('/codes');
    }
  });

  it('do not exist for other accounts', async () => {
    const { id } = await store('Mine');
    const answers = [];
    for (const one of [id, '01890000-0000-7000-8000-000000000000', 'no-id']) {
      for (const path of ['edit', 'delete', 'picture.svg']) {
        const answer = await stranger.get(`/codes/${one}/${path}`);
        const main = /<main.*<\/main>/s.exec(await answer.text())?.[0];
        answers.push({ status: answer.status, text: main?.replaceAll(/value="[^"]+"/g, '') });
      }
      await stranger.get('/codes/new');
      for (const path of ['edit', 'duplicate', 'delete', 'favorite', 'visibility']) {
        const form = { confirmation: 'Mine', name: 'Theirs' };
        const answer = await stranger.post(`/codes/${one}/${path}`, form);
        answers.push({ status: answer.status, text: answers[0]?.text });
      }
    }
    expect(answers[0]?.status).to.equal(404);
    expect(answers[0]?.text).to.be.a('string');
    expect(answers).to.deep.equal(Array(24).fill(answers[0]));
  });
});
