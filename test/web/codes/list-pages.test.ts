import { expect } from 'chai';
import { updateCode } from '../../../src/codes/codes.ts';
import type { QrCode } from '../../../src/codes/qr-code.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { readZip } from '../../support/read-zip.ts';
import { canRenderPdf, findCodes, renderPdf } from '../../support/render-pdf.ts';
import { packIds } from '../../../src/web/codes/print/selection.ts';
import { type PlainOwner, plainOwner, storeCode } from './code-owner.ts';

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
    // More on a page, also on the next one and after a search.
    const larger = await read('/codes?perPage=50');
    expect([larger.names, larger.next]).to.deep.equal([wanted, undefined]);
    expect(larger.html).to.contain('<input type="hidden" name="perPage" value="50"/>');
    expect(larger.html).to.contain('<a href="/codes?perPage=50" aria-current="true">50</a>');
    expect((await read('/codes?perPage=1000000')).names).to.deep.equal(seen[0]);
    const found = await read('/codes?q=code&perPage=100');
    expect(found.names).to.deep.equal(wanted);
    expect(found.html).to.contain('<a href="/codes?q=code">20</a>');
  });

  it('say before labels are printed which characters they have no font for', async () => {
    const page = async (name: string) => {
      const { id } = await store(name);
      return (await owner.get(`/codes/selection?code=${id}`)).text();
    };
    expect(await page('ᏣᎳᎩ cafe')).to.contain('which no font here has: <bdi>Ꮳ Ꮃ Ꭹ</bdi>.');
    expect(await page('Анна 王小明')).to.not.contain('no font here has');
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

describe('The list of QR codes', () => {
  let service: TestService;
  let owner: PlainOwner;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    owner = await plainOwner(service);
  });
  const names = () => owner.browser.texts('tbody th bdi');
  const notice = () => owner.browser.text('main .notice');

  it('starts with a page that explains what to do', async () => {
    const { browser } = owner;
    await browser.open('/codes');
    expect(browser.text('title')).to.equal('QR codes · Qrelay');
    expect(browser.attributes('main .card a', 'href')).to.include('/keys');
    await browser.follow('Create your first code');
    expect(browser.path).to.equal('/codes/new');
  });

  it('can be searched by name, type and category', async () => {
    const { browser } = owner;
    await owner.store({ name: '100% cotton', category: 'Shop' });
    await owner.store({ name: '100 cotton', type: 'text', content: 'x' });
    await browser.open('/codes');
    expect(browser.text('.total')).to.equal('2 codes');
    browser.fillIn({ 'Search by name, destination or link': '0% COT' });
    await browser.press('Search');
    expect(names()).to.deep.equal(['100% cotton']);
    expect(browser.text('.total')).to.equal('1 found');
    await browser.open('/codes?type=text');
    expect(names()).to.deep.equal(['100 cotton']);
    browser.fillIn({ Type: '', Category: 'Shop' });
    await browser.press('Search');
    expect(browser.path).to.match(/\/codes\?.*category=Shop&endsWithin=$/);
    expect(names()).to.deep.equal(['100% cotton']);
    await browser.follow('Clear');
    expect(browser.path).to.equal('/codes');
    expect(names()).to.have.length(2);
    expect(browser.texts('main a')).not.to.include('Clear');
    await browser.open('/codes?q=silk');
    expect(browser.texts('h2')).to.deep.equal(['Nothing found']);
  });

  it('is searched by destination, token and pasted share link, too, but not by passwords', async () => {
    const { browser } = owner;
    const menu = await owner.store({ name: 'Menu', content: 'https://example.com/Summer?table=7' });
    await owner.store({ name: 'Guests', type: 'wifi', content: 'WIFI:T:WPA;S:Linden;P:summer-secret;;' });
    await owner.store({ name: 'Call us', type: 'phone', content: 'tel:+494012345600' });
    const found = async (text: string) => {
      await browser.open(`/codes?${new URLSearchParams({ q: text })}`);
      return names();
    };
    expect(await found('example.com/summer')).to.deep.equal(['Menu']);
    expect(await found('4940123456')).to.deep.equal(['Call us']);
    expect(await found(menu.shareToken)).to.deep.equal(['Menu']);
    for (const link of [`https://qr.test/r/${menu.shareToken}`, ` qr.test/r/${menu.shareToken}.png?size=9 `])
      expect(await found(link), link).to.deep.equal(['Menu']);
    expect(await found(menu.id)).to.deep.equal(['Menu']);
    expect(await found('secret')).to.deep.equal([]);
    expect(await found('100%_')).to.deep.equal([]);
    const theirs = await storeCode(service.db, 'someone-else@example.com', { name: 'Theirs' });
    expect(await found(`https://qr.test/r/${theirs.shareToken}`)).to.deep.equal([]);
  });

  it('calls codes with a file files, and finds them by that', async () => {
    const { browser } = owner;
    await owner.store({ name: 'Shop' });
    const filed = await owner.store({ name: 'Card' });
    const content = `https://qr.test/f/${filed.shareToken}/card.pdf`;
    await service.db('qr_codes').where({ id: filed.id }).update({ content });
    await browser.open('/codes');
    expect(browser.texts('tbody td.fact').filter((text) => /File|Web address/.test(text))).to.deep.equal([
      'File',
      'Web address',
    ]);
    browser.fillIn({ Type: 'file' });
    await browser.press('Search');
    expect(names()).to.deep.equal(['Card']);
    browser.fillIn({ Type: 'url' });
    await browser.press('Search');
    expect(names()).to.deep.equal(['Shop']);
    await browser.open(`/codes/${filed.id}`);
    expect(browser.texts('.badges .badge')).to.include('File').and.not.include('Web address');
    await browser.open(`/codes/${filed.id}/edit`);
    expect(browser.text('.types [aria-current]')).to.equal('File');
    expect(await owner.stored(filed.id)).to.include({ type: 'url' });
  });

  it('takes as many codes by their boxes as by a search, and names one limit for each action', async () => {
    const { browser } = owner;
    const codes: QrCode[] = [];
    for (let number = 1; number <= 3; number += 1) codes.push(await owner.store({ name: `Table ${number}` }));
    await browser.open('/codes');
    expect(browser.attributes('#selection', 'data-max')).to.deep.equal(['1000']);
    expect(browser.text('#selection .hint')).to.contain(
      'up to 1,000 to print or download, up to 500 to apply a template',
    );
    // More than an address can hold are posted.
    const client = await signedIn(service, owner.email);
    await client.get('/codes');
    const missing = Array.from({ length: 600 }, () => crypto.randomUUID());
    const packed = packIds([...codes.map(({ id }) => id), ...missing]);
    const page = await (await client.post('/codes/selection', { codes: packed })).text();
    expect(page).to.contain('600 of the selected codes do not exist any more').and.contain('Table 3');
    const archive = await client.post('/codes/files.zip', { codes: packed, format: 'svg' });
    expect([...readZip(Buffer.from(await archive.arrayBuffer())).keys()]).to.have.length(4);
    const labels = await client.post('/codes/labels.pdf', { codes: packed, sheet: 'L7160', start: '1' });
    expect(labels.headers.get('content-type')).to.equal('application/pdf');
    expect(await (await client.post('/codes/styles/apply', { codes: packed })).text()).to.contain(
      'No templates yet',
    );
  });

  it('makes codes private and public, duplicates them, and adds them to the favorites', async () => {
    const { browser } = owner;
    const code = await owner.store({ name: 'Flyer', category: 'Shop' });
    const shareStatus = async () =>
      (await fetch(`${service.url}/r/${code.shareToken}`, { redirect: 'manual' })).status;
    expect(await shareStatus()).to.equal(302);
    await browser.open('/codes');
    await browser.press('Make private');
    expect(browser.texts('tbody .badge')).to.deep.equal(['Private']);
    expect(await shareStatus()).to.equal(404);
    await browser.open(`/codes/${code.id}/picture.svg`);
    expect(browser.headers.get('content-type')).to.contain('image/svg+xml');
    await browser.open('/codes');
    await browser.press('Make public');
    expect(browser.texts('tbody .badge')).to.deep.equal([]);
    expect(await shareStatus()).to.equal(302);

    await browser.press('Duplicate');
    expect(browser.value('Name')).to.equal('Flyer (copy)');
    expect(notice()).to.equal('Copied. Change it and save, or delete it.');
    // The copy already exists, so there is no Cancel button.
    expect([...browser.texts('.form-end button'), ...browser.texts('.form-end a')]).to.deep.equal([
      'Save changes',
      'Keep it as it is',
      'Delete it',
    ]);
    await browser.open('/codes');
    expect(names()).to.deep.equal(['Flyer (copy)', 'Flyer']);
    await browser.press('Favorite: Flyer');
    expect(browser.text('[role=status]')).to.equal('Added to your favorites.');
    // The page returns to the row.
    expect(browser.path).to.equal(`/codes#code-${code.id}`);
    expect(browser.attributes('.star', 'aria-pressed')).to.deep.equal(['true', 'false']);
    expect(names()).to.deep.equal(['Flyer', 'Flyer (copy)']);
  });

  it('moves a code to the trash after a question, and offers to undo it', async () => {
    const { browser } = owner;
    const { id } = await owner.store({ name: 'Old flyer' });
    await browser.open('/codes');
    await browser.follow('Delete');
    expect((await owner.api(`/qrcodes/${id}`)).status).to.equal(200);
    await browser.press('Move to trash');
    expect(browser.text('[role=status]')).to.equal(
      'The code was moved to the trash. You can restore it for 30 days. Undo',
    );
    expect((await owner.api(`/qrcodes/${id}`)).status).to.equal(404);
  });

  it('prints labels of the codes whose boxes are checked, in the order of their names', async function () {
    if (!canRenderPdf()) return this.skip();
    const { browser } = owner;
    const codes: QrCode[] = [];
    for (const name of ['Table 10', 'Table 2', 'Other', 'Table 1']) codes.push(await owner.store({ name }));
    await browser.open('/codes');
    browser.fillIn({ 'Select Table 10': true, 'Select Table 2': true, 'Select Table 1': true });
    await browser.press('Print or download selected');
    expect(browser.text('main')).to.contain('3 codes: Table 1 · Table 2 · Table 10');
    browser.fillIn({ 'Start at label': '3' });
    await browser.press('Download labels as PDF');
    const [page, ...more] = await renderPdf(browser.bytes, 150);
    expect(more).to.deep.equal([]);
    const found = await findCodes(page as NonNullable<typeof page>);
    const inOrder = found
      .toSorted((a, b) => a.yMm - b.yMm || a.xMm - b.xMm)
      .map(({ text }) => text.slice(-10));
    const tokenOf = (name: string) => codes.find((code) => code.name === name)?.shareToken;
    // The third label ends the first row.
    const byRow = found.map(({ yMm }) => Math.round(yMm / 38.1));
    expect(byRow).to.have.members([1, 2, 2]);
    expect(inOrder[0]).to.equal(tokenOf('Table 1'));
    expect(inOrder).to.have.members(['Table 1', 'Table 2', 'Table 10'].map(tokenOf));
  });

  it('shows the errors of labels beside their fields, keeps the codes, and says what to do without any', async () => {
    const { browser } = owner;
    await owner.store({ name: 'Table 1' });
    await browser.open('/codes');
    await browser.press('Print or download selected');
    expect(browser.texts('h2')).to.deep.equal(['No codes selected']);
    expect(browser.text('main .card')).to.contain('Go back to the list, check the boxes');
    await browser.open('/codes/selection?all=on');
    browser.fillIn({ 'Start at label': '22' });
    await browser.press('Download labels as PDF');
    expect(browser.texts('.error')).to.deep.equal([
      'Start at label must be at most 21, the number of labels on the sheet.',
    ]);
    browser.fillIn({ Sheet: 'grid', 'Start at label': '1' });
    browser.fillIn({ Columns: '12', Rows: '20', 'Side margins (mm)': '40' });
    await browser.press('Download labels as PDF');
    expect(browser.text('main')).to.contain('Rows and columns must leave labels of at least 15 by 15 mm.');
    expect(browser.text('main')).to.contain('1 code: Table 1');
    browser.fillIn({ Columns: '4', Rows: '5', 'Side margins (mm)': '10,5' });
    await browser.press('Download labels as PDF');
    expect(browser.bytes.toString('latin1', 0, 5)).to.equal('%PDF-');
  });

  it('downloads the files of all that a search finds, on further pages, too', async () => {
    const { browser } = owner;
    for (let number = 1; number <= 22; number += 1) await owner.store({ name: `Table ${number}` });
    await owner.store({ name: 'Other' });
    await browser.open('/codes?q=table');
    browser.fillIn({ 'All 22 codes': true });
    await browser.press('Print or download selected');
    await browser.press('Download files as ZIP');
    const files = [...readZip(browser.bytes).keys()];
    expect(files).to.have.length(23);
    expect(files.filter((name) => name.startsWith('Table '))).to.have.length(22);
  });

  it('leaves out selected codes that were deleted meanwhile, and says so', async () => {
    const { browser } = owner;
    const [stays, goes] = [await owner.store({ name: 'Stays' }), await owner.store({ name: 'Goes' })];
    await service.db('qr_codes').where({ id: goes.id }).delete();
    const query = `codes=${packIds([stays.id, goes.id])}`;
    await browser.open(`/codes/selection?${query}`);
    expect(notice()).to.equal('1 of the selected codes does not exist any more and is left out.');
    expect(browser.text('main')).to.contain('1 code: Stays');
    await browser.open(`/codes/styles/apply?${query}`);
    expect(browser.texts('h2')).to.deep.equal(['No templates yet']);
  });

  it('leaves out the codes of others, and refuses more than 1,000', async () => {
    const mine = await owner.store({ name: 'Mine' });
    const theirs = await storeCode(service.db, 'someone-else@example.com', { name: 'Theirs' });
    const client = await signedIn(service, owner.email);
    const query = `code=${mine.id}&code=${theirs.id}&code=x`;
    const page = await (await client.get(`/codes/selection?${query}`)).text();
    expect(page).to.include('Mine').and.to.not.include('Theirs').and.to.not.include(theirs.id);
    const archive = await client.get(`/codes/files.zip?${query}`);
    const files = readZip(Buffer.from(await archive.arrayBuffer()));
    expect([...files.keys()]).to.deep.equal(['manifest.csv', `Mine-${mine.shareToken}.svg`]);
    expect((await client.get(`/codes/files.zip?code=${theirs.id}`)).headers.get('Content-Type')).to.match(
      /html/,
    );
    const packed = packIds([mine.id, theirs.id]);
    const both = await (await client.get(`/codes/selection?codes=${packed}`)).text();
    expect(both).to.include('Mine').and.to.not.include('Theirs');
    const tooLong = `codes=${'A'.repeat(22_001)}`.slice(0, 15_000);
    for (const broken of ['codes=%00', 'codes=x&codes=y', 'codes[a]=x', 'codes=ü', tooLong])
      expect((await client.get(`/codes/selection?${broken}`)).status, broken.slice(0, 20)).to.equal(200);
    const many = Array.from({ length: 1_001 }, (_, index) => `code=${index}`).join('&');
    expect((await client.get(`/codes/labels.pdf?${many}`)).status).to.equal(400);
  });
});
