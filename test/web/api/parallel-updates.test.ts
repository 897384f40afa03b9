import { expect } from 'chai';
import { startSession } from '../../../src/accounts/sessions.ts';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { lastDayOf } from '../../../src/codes/lifetime.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { lockCode } from '../../support/row-lock.ts';
import { startService, type TestService } from '../../support/service.ts';

const email = 'parallel@example.com';
const long = 'x'.repeat(2_900);
const short = { name: 'Note', type: 'text', content: 'short', errorCorrection: 'L' };

describe('two parallel changes of one code', () => {
  let service: TestService;
  let api: ApiClient;
  let browser: FormClient;

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey({ email }));
    browser = formClient(service.url);
    const { id } = await findOrCreateUser(service.db, email, new Date());
    browser.cookies.set('__Host-qrelay-session', await startSession(service.db, id, new Date()));
  });
  after(() => service.stop());

  const patch = (id: string, body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });
  async function create(): Promise<string> {
    return (await api('/qrcodes', { method: 'POST', body: short })).body.id as string;
  }
  /** The fields of the edit form. */
  async function openForm(id: string): Promise<Record<string, string>> {
    const page = await (await browser.get(`/codes/${id}/edit`)).text();
    const version = /name="version" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const { body } = await api(`/qrcodes/${id}`);
    const { name, content, errorCorrection, foregroundColor, backgroundColor, expiresAt } = body;
    const lastDay = lastDayOf(new Date(expiresAt));
    const look = { foregroundColor, backgroundColor, size: '512', errorCorrection };
    return { name, category: '', lastDay, ...look, content, version };
  }
  /** Sends both while the row is locked, so that neither can write before the other has started. */
  async function together<One, Other>(id: string, one: () => Promise<One>, other: () => Promise<Other>) {
    const lock = await lockCode(service.db, id);
    try {
      const answers = Promise.all([one(), other()]);
      await lock.waiters(2);
      await lock.release();
      return await answers;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }
  async function expectDrawable(id: string): Promise<void> {
    const { body } = await api(`/qrcodes/${id}`);
    expect([body.content, body.errorCorrection]).to.be.deep.oneOf([
      ['short', 'H'],
      [long, 'L'],
    ]);
    expect((await browser.get(`/codes/${id}`)).status).to.equal(200);
  }

  it('never store content that does not fit the error correction: the later PATCH is a 400', async () => {
    const id = await create();
    const [content, level] = await together(
      id,
      () => patch(id, { content: long }),
      () => patch(id, { errorCorrection: 'H' }),
    );
    await expectDrawable(id);
    if (content.status === 200) expectInvalid(level, ['errorCorrection']);
    else {
      expectInvalid(content, ['content']);
      expect(level.status).to.equal(200);
    }
  });

  it('never do so with a form and a PATCH either', async () => {
    const id = await create();
    const form = { ...(await openForm(id)), content: long };
    const [saved, level] = await together(
      id,
      () => browser.post(`/codes/${id}/edit`, form),
      () => patch(id, { errorCorrection: 'H' }),
    );
    await expectDrawable(id);
    if (level.status === 200) expect(saved.status).to.equal(400);
    else {
      expectInvalid(level, ['errorCorrection']);
      expect(saved.status).to.equal(303);
    }
  });

  it('with two forms: the later one shows the conflict, and overwrites nothing', async () => {
    const id = await create();
    const form = await openForm(id);
    const save = (name: string) => browser.post(`/codes/${id}/edit`, { ...form, name });
    const answers = await together(
      id,
      () => save('First'),
      () => save('Second'),
    );
    expect(answers.map(({ status }) => status)).to.have.members([303, 409]);
  });
});

describe('a stored code that cannot be drawn', () => {
  let service: TestService;
  let api: ApiClient;
  let browser: FormClient;
  let code: { id: string; shareToken: string };

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey({ email }));
    browser = formClient(service.url);
    const { id } = await findOrCreateUser(service.db, email, new Date());
    browser.cookies.set('__Host-qrelay-session', await startSession(service.db, id, new Date()));
    code = (await api('/qrcodes', { method: 'POST', body: short })).body;
    await service.db('qr_codes').where({ id: code.id }).update({ content: long, error_correction: 'H' });
  });
  after(() => service.stop());

  it('has a page that says so and what to do', async () => {
    const answer = await browser.get(`/codes/${code.id}`);
    expect(answer.status).to.equal(200);
    const text = await answer.text();
    expect(text).to.include('The text is longer than a QR code holds at error correction H');
    expect(text).to.include('Use less text or the error correction L.');
    expect((await browser.get(`/codes/${code.id}/edit`)).status).to.equal(200);
    expect((await browser.get('/codes')).status).to.equal(200);
  });

  it('can be read and changed through the API, with a warning', async () => {
    expect((await api(`/qrcodes/${code.id}`)).status).to.equal(200);
    const { status, headers } = await api(`/qrcodes/${code.id}`, { method: 'PATCH', body: { name: 'New' } });
    expect(status).to.equal(200);
    expect(headers.get('Qrelay-Warning')).to.include('longer than a QR code holds');
  });

  for (const format of ['svg', 'png']) {
    it(`has a .${format} of its share link, and a 404 for one of its content`, async () => {
      const share = `/r/${code.shareToken}.${format}`;
      const own = `/codes/${code.id}/picture.${format}`;
      for (const path of [share, own]) {
        expect((await browser.get(path)).status, path).to.equal(200);
        const direct = await browser.get(`${path}?encode=content`);
        expect(direct.status, path).to.equal(404);
        expect(await direct.text()).to.include('longer than a QR code holds');
      }
    });
  }
});
