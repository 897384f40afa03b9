import { expect } from 'chai';
import { defaultDesign } from '../../../src/codes/design/design.ts';
import { maxStyles } from '../../../src/codes/styles/styles.ts';
import { png } from '../../codes/files/logo-files.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { assumedProofs, quickImages } from '../../support/shared-threads.ts';
import { createCode } from '../../support/share.ts';

describe('Styles, /api/v1/styles', () => {
  let service: TestService;
  let api: ApiClient;
  const noWait = async () => undefined;
  let beforeProof: () => Promise<unknown> = noWait;

  before(async () => {
    service = await startService({
      ...quickImages,
      proofs: {
        ...assumedProofs,
        async prove(...call) {
          await beforeProof();
          return assumedProofs.prove(...call);
        },
      },
    });
  });
  beforeEach(() => {
    api = ownerClient(service);
  });
  after(() => service.stop());

  const create = (body: object, client = api) => client('/styles', { method: 'POST', body });
  const change = (id: string, body: object) => api(`/styles/${id}`, { method: 'PATCH', body });
  const upload = (path: string, file: Buffer, client = api) =>
    client(path, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': 'application/octet-stream' },
    });
  const namesOf = async () =>
    ((await api('/styles')).body.data as { name: string }[]).map(({ name }) => name);
  const countLogos = async () => Number((await service.db('logos').count())[0]?.['count']);

  it('are created with a name and a design, listed newest first, read, changed and deleted', async () => {
    const made = await create({
      name: '  Cafe\u0301  ',
      moduleShape: 'dots',
      frame: 'band',
      frameText: 'Scan me',
    });
    expect(made.status).to.equal(201);
    const { id } = made.body;
    expect(made.body).to.deep.equal({
      ...defaultDesign,
      id,
      name: 'Café',
      isDefault: false,
      moduleShape: 'dots',
      frame: 'band',
      frameText: 'Scan me',
      createdAt: made.body.createdAt,
      updatedAt: made.body.createdAt,
    });
    await create({ name: 'Second' });
    expect(await namesOf()).to.deep.equal(['Second', 'Café']);
    expect((await api(`/styles/${id}`)).body).to.deep.equal(made.body);
    const changed = await change(id, { moduleShape: 'rounded' });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.include({ name: 'Café', moduleShape: 'rounded', frame: 'band' });
    expect((await api(`/styles/${id}`, { method: 'DELETE' })).status).to.equal(204);
    expectError(await api(`/styles/${id}`), 404, 'not_found');
    expectError(await api(`/styles/${id}`, { method: 'DELETE' }), 404, 'not_found');
    expectError(await api('/styles/nothing'), 404, 'not_found');
  });

  it('have names that are unique in the account, whether in upper or lower case', async () => {
    const { id } = (await create({ name: 'Straße' })).body;
    for (const name of ['straße', ' STRAßE']) expectInvalid(await create({ name }), ['name']);
    const other = (await create({ name: 'Other' })).body;
    expectInvalid(await change(other.id, { name: 'STRAßE' }), ['name']);
    expect((await change(id, { name: 'STRAßE' })).status).to.equal(200);
    expect((await create({ name: 'straße' }, ownerClient(service))).status).to.equal(201);
  });

  it('have one default at most', async () => {
    const first = (await create({ name: 'First', isDefault: true })).body;
    const second = (await create({ name: 'Second', isDefault: true })).body;
    const defaults = async () =>
      ((await api('/styles')).body.data as { name: string; isDefault: boolean }[])
        .filter(({ isDefault }) => isDefault)
        .map(({ name }) => name);
    expect(await defaults()).to.deep.equal(['Second']);
    await change(first.id, { isDefault: true });
    expect(await defaults()).to.deep.equal(['First']);
    await change(first.id, { isDefault: false });
    expect(await defaults()).to.deep.equal([]);
    await Promise.all([first, second].map(({ id }) => change(id, { isDefault: true })));
    expect(await defaults()).to.have.length(1);
  });

  it('start with the design and the logo of a code, which is stored once', async () => {
    const code = await createCode(api);
    const { logo } = (await upload(`/qrcodes/${code.id}/design/logo`, png(30, 30))).body;
    const before = await countLogos();
    const style = (await create({ name: 'Ours', qrCodeId: code.id, moduleShape: 'rounded' })).body;
    expect(style).to.include({ logo, moduleShape: 'rounded' });
    expect(await countLogos()).to.equal(before);
    // The style is a use of it, as long as it exists.
    await api(`/qrcodes/${code.id}?permanently=true`, { method: 'DELETE' });
    expect(await countLogos()).to.equal(before);
    await api(`/styles/${style.id}`, { method: 'DELETE' });
    expect(await countLogos()).to.equal(before - 1);
  });

  it('get and lose a logo of their own, and keep it when the rest is changed', async () => {
    const { id } = (await create({ name: 'Ours' })).body;
    const before = await countLogos();
    const first = (await upload(`/styles/${id}/logo`, png(31, 31))).body;
    expect(first.logo).to.match(/^[\w-]{43}$/);
    const second = (await upload(`/styles/${id}/logo`, png(32, 32))).body;
    expect(second.logo).to.not.equal(first.logo);
    expect(await countLogos()).to.equal(before + 1);
    expect((await change(id, { moduleShape: 'dots' })).body.logo).to.equal(second.logo);
    const remove = () => api(`/styles/${id}/logo`, { method: 'DELETE' });
    expect((await remove()).status).to.equal(204);
    expect((await remove()).status).to.equal(204);
    expect((await api(`/styles/${id}`)).body).to.include({ logo: null, moduleShape: 'dots' });
    expect(await countLogos()).to.equal(before);
    expectInvalid(await upload(`/styles/${id}/logo`, Buffer.from('no picture')), ['logo']);
  });

  it(`are ${maxStyles} at most in an account, also for parallel requests`, async () => {
    const { id } = (await create({ name: 'First' })).body;
    const row = await service.db('styles').where({ id }).first();
    const rows = Array.from({ length: maxStyles - 2 }, (_, index) => ({
      ...row,
      id: service.db.raw('gen_random_uuid()'),
      name: `Style ${index}`,
      name_key: `style ${index}`,
    }));
    await service.db('styles').insert(rows);
    const made = await Promise.all(['a', 'b', 'c'].map((name) => create({ name })));
    expect(made.map(({ status }) => status)).to.have.members([201, 400, 400]);
    const refused = made.find(({ status }) => status === 400);
    expect(refused?.body.message).to.equal(`An account can have ${maxStyles} styles. Delete one first.`);
    expect(await namesOf()).to.have.length(maxStyles);
  });

  it('are one for parallel requests with the same name', async () => {
    const made = await Promise.all(['Same', 'same', 'SAME'].map((name) => create({ name })));
    expect(made.map(({ status }) => status)).to.have.members([201, 400, 400]);
  });

  it('are refused where phones could not read them', async () => {
    const refused = await create({ name: 'Pale', eyeFrameColor: '#ffee00', gradientColor: '#eeeeee' });
    expectInvalid(refused, ['eyeFrameColor', 'gradientColor']);
    const { id } = (await create({ name: 'Good' })).body;
    expectInvalid(await change(id, { frame: 'band' }), ['frameText']);
    expect((await api(`/styles/${id}`)).body.frame).to.equal('none');
  });

  it('are changed by one of several parallel requests, and the others are refused', async () => {
    const { id } = (await create({ name: 'Ours' })).body;
    let proving = 0;
    let proceed = () => undefined as void;
    const allProving = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    beforeProof = () => {
      if ((proving += 1) === 3) proceed();
      return allProving;
    };
    const answers = await Promise.all([
      change(id, { moduleShape: 'rounded' }),
      change(id, { eyeFrameShape: 'rounded' }),
      upload(`/styles/${id}/logo`, png(33, 33)),
    ]);
    beforeProof = noWait;
    const statuses = answers.map(({ status }) => status);
    expect(statuses).to.have.members([200, 412, 412]);
    const refused = answers.find(({ status }) => status === 412);
    expect(refused?.body.message).to.equal('The style was changed meanwhile. Repeat your change.');
    const { updatedAt: _updatedAt, ...saved } = (await api(`/styles/${id}`)).body;
    expect(answers.find(({ status }) => status === 200)?.body).to.include(saved);
    // A name conflicts with no design.
    const both = await Promise.all([change(id, { name: 'Other' }), change(id, { moduleShape: 'dots' })]);
    expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect((await api(`/styles/${id}`)).body).to.include({ name: 'Other', moduleShape: 'dots' });
  });

  it('are created once with the same Idempotency-Key', async () => {
    const post = () =>
      api('/styles', { method: 'POST', body: { name: 'Once' }, headers: { 'Idempotency-Key': 'once' } });
    const [first, second] = [await post(), await post()];
    expect(second.status).to.equal(201);
    expect(second.body).to.deep.equal(first.body);
    expect(await namesOf()).to.deep.equal(['Once']);
  });

  it('name every bad field', async () => {
    const body = {
      name: 'a\u202eb',
      moduleShape: 'stars',
      quietZone: 99,
      qrCodeId: 'x',
      isDefault: 'yes',
      extra: 1,
    };
    expectInvalid(await create(body), Object.keys(body));
    expectInvalid(await create({ name: 'x'.repeat(101) }), ['name']);
    expectInvalid(await create({}), ['name']);
    expectInvalid(await create({ name: 'Ours', logo: 'x' }), ['logo']);
    for (const name of ['', '   ', '\0', '\u200b', null, 5, ['a'], { a: 1 }])
      expectInvalid(await create({ name }), ['name']);
    const { id } = (await create({ name: 'Good' })).body;
    expectInvalid(await change(id, { name: null, frame: 'x', qrCodeId: id }), ['name', 'frame', 'qrCodeId']);
  });

  it('belong to their owner', async () => {
    const { id } = (await create({ name: 'Mine' })).body;
    const code = await createCode(api);
    const stranger = ownerClient(service);
    expectError(await stranger(`/styles/${id}`), 404, 'not_found');
    expectError(await stranger(`/styles/${id}`, { method: 'DELETE' }), 404, 'not_found');
    expectError(await stranger(`/styles/${id}`, { method: 'PATCH', body: { name: 'x' } }), 404, 'not_found');
    expectError(await upload(`/styles/${id}/logo`, png(), stranger), 404, 'not_found');
    expectError(await create({ name: 'Theirs', qrCodeId: code.id }, stranger), 404, 'not_found');
    expect((await stranger('/styles')).body.data).to.deep.equal([]);
    const theirs = (await create({ name: 'Theirs' }, stranger)).body;
    const apply = (styleId: string, codeId: string) =>
      stranger(`/styles/${styleId}/apply`, { method: 'POST', body: { qrCodeIds: [codeId] } });
    expectError(await apply(id, code.id), 404, 'not_found');
    expectError(await apply(theirs.id, code.id), 404, 'not_found');
    expect((await api(`/styles/${id}`)).body.name).to.equal('Mine');
  });
});
