import { expect } from 'chai';
import { defaultDesign } from '../../../src/codes/design/design.ts';
import { onPaper } from '../../../src/codes/proof/photograph.ts';
import { readers } from '../../../src/codes/proof/prove.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { readColorPng } from '../../codes/design/png-pixels.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { assumedProofs, sharedProofs } from '../../support/shared-threads.ts';

const start = new Date('2027-01-01T00:00:00.000Z');
const later = new Date('2027-02-01T12:00:00.000Z');
const nice = { moduleShape: 'rounded', eyeFrameShape: 'rounded', frame: 'band', frameText: 'Escanéame' };

describe('The design of a QR code, /api/v1/qrcodes/:id/design', () => {
  let service: TestService;
  let api: ApiClient;
  let proofs = assumedProofs;
  const put = (id: string, body: object) => api(`/qrcodes/${id}/design`, { method: 'PUT', body });
  const get = (id: string) => api(`/qrcodes/${id}/design`);

  before(async () => {
    service = await startService({
      proofs: { ...assumedProofs, prove: (...call) => proofs.prove(...call) },
    });
    api = ownerClient(service);
  });
  afterEach(() => {
    proofs = assumedProofs;
  });
  after(() => service.stop());

  async function create(body: object = {}) {
    service.setNow(start);
    const made = await api('/qrcodes', {
      method: 'POST',
      body: { name: 'Menu', content: 'https://example.com/', ...body },
    });
    service.setNow(later);
    return made.body as { id: string; shareToken: string; shareUrl: string };
  }

  const picture = (token: string, ending: string) => fetch(`${service.url}/r/${token}.${ending}`);

  it('is the default, unproven, for a new code', async () => {
    const { status, body } = await get((await create()).id);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ ...defaultDesign, readsAtMm: null, proof: null, updatedAt: null });
  });

  it('is saved with its proof by PUT, and read by GET', async () => {
    proofs = sharedProofs();
    const { id } = await create();
    // Which change helps depends on the modules, and so on the token.
    await service.db('qr_codes').where({ id }).update({ share_token: 'nice0nice0' });
    const saved = await put(id, nice);
    expect(saved.status).to.equal(200);
    expect(saved.body).to.deep.equal({
      ...defaultDesign,
      ...nice,
      readsAtMm: 20,
      proof: 'Reads at 20 mm from 15 cm. With errorCorrection L it can be printed smaller.',
      updatedAt: later.toISOString(),
    });
    // What would help is said once, when it is proven.
    expect((await get(id)).body).to.deep.equal({ ...saved.body, proof: 'Reads at 20 mm from 15 cm.' });
    expect((await api(`/qrcodes/${id}`)).body.updatedAt).to.equal(later.toISOString());
  });

  it('is not overwritten or deleted with the ETag of an earlier version', async () => {
    const { id } = await create();
    const change = (method: string, etag: string, body?: object) =>
      api(`/qrcodes/${id}/design`, { method, headers: { 'If-Match': etag }, ...(body && { body }) });
    const first = (await get(id)).headers.get('etag') ?? '';
    const saved = await change('PUT', first, { moduleShape: 'dots' });
    expect(saved.status).to.equal(200);
    const second = saved.headers.get('etag') ?? '';
    expect((await get(id)).headers.get('etag')).to.equal(second);
    expect((await change('PUT', first, { moduleShape: 'bars' })).status).to.equal(412);
    expect((await change('DELETE', first)).status).to.equal(412);
    expect((await get(id)).body.moduleShape).to.equal('dots');
    expect((await change('DELETE', second)).status).to.equal(204);
  });

  it('is replaced as a whole by the next PUT', async () => {
    const { id } = await create();
    await put(id, nice);
    const { body } = await put(id, { moduleShape: 'bars' });
    expect(body).to.include({ ...defaultDesign, moduleShape: 'bars', readsAtMm: 15 });
  });

  it('is shown at the share address as SVG, PNG and PDF, with a new ETag, and gone after DELETE', async () => {
    const { id, shareToken, shareUrl } = await create();
    const before = new Map<string, string>();
    for (const format of ['svg', 'png', 'pdf']) {
      const answer = await picture(shareToken, format);
      before.set(
        format,
        `${answer.headers.get('etag')} ${Buffer.from(await answer.arrayBuffer()).toString('base64')}`,
      );
    }
    await put(id, nice);
    for (const [format, old] of before) {
      const answer = await picture(shareToken, format);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('etag')).to.not.equal(old.split(' ')[0]);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.toString('base64')).to.not.equal(old.split(' ')[1]);
      if (format !== 'png') continue;
      const photo = onPaper(readColorPng(bytes));
      for (const [name, read] of Object.entries(readers)) expect(await read(photo), name).to.equal(shareUrl);
    }
    expect((await api(`/qrcodes/${id}/design`, { method: 'DELETE' })).status).to.equal(204);
    for (const [format, old] of before) {
      const answer = await picture(shareToken, format);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(`${answer.headers.get('etag')} ${bytes.toString('base64')}`).to.equal(old);
    }
    expect((await get(id)).body).to.include({ moduleShape: 'square', readsAtMm: null });
    expect((await api(`/qrcodes/${id}/design`, { method: 'DELETE' })).status).to.equal(204);
  });

  it('is not shown by encode=content, with which it is not proven', async () => {
    const { id, shareToken } = await create();
    const before = await (await picture(shareToken, 'svg?encode=content')).text();
    await put(id, nice);
    expect(await (await picture(shareToken, 'svg?encode=content')).text()).to.equal(before);
  });

  it('has a PDF in millimeters, with bleed and crop marks, and a 400 for what is out of range', async () => {
    const { shareToken } = await create();
    const answer = await picture(shareToken, 'pdf?widthMm=40&bleedMm=3&cropMarks&download');
    expect(answer.headers.get('content-type')).to.equal('application/pdf');
    expect(answer.headers.get('content-disposition')).to.equal(`attachment; filename="qr-${shareToken}.pdf"`);
    const pdf = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    expect(pdf).to.match(/^%PDF-1\.4/);
    const points = (mm: number) => Math.round((mm * 720_000) / 25.4) / 10_000;
    expect(pdf).to.include(`/MediaBox [0 0 ${points(56)} ${points(56)}]`);
    for (const query of [
      'widthMm=9',
      'widthMm=1001',
      'widthMm=1e2',
      'widthMm=',
      'bleedMm=-1',
      'bleedMm=11',
      'widthMm=40&widthMm=x',
    ]) {
      const refused = await picture(shareToken, `pdf?${query}`);
      expect(refused.status, query).to.equal(400);
      expect(await refused.text()).to.match(/^(widthMm|bleedMm) must be a number from \d+ to \d+\.\n$/);
    }
  });

  const refused: [string, object, object, string, RegExp][] = [
    [
      'a pale gradient',
      { gradientColor: '#f0d0d0' },
      {},
      'gradientColor',
      /^must be darker than the background, which is #ffffff: the contrast of 1\.\d:1/,
    ],
    ['pale eyes', { eyeFrameColor: '#ffff00' }, {}, 'eyeFrameColor', /^must be darker/],
    [
      'a pale code',
      { moduleShape: 'dots' },
      { foregroundColor: '#bbbbbb' },
      'foregroundColor',
      /^of the code must be darker than the background/,
    ],
    [
      'light on dark',
      { moduleShape: 'dots' },
      { foregroundColor: '#ffffff', backgroundColor: '#000000' },
      'foregroundColor',
      /many phones do not read light on dark/,
    ],
    [
      'light modules on paper',
      { transparentBackground: true },
      { foregroundColor: '#eeeeee', backgroundColor: '#ffffff' },
      'foregroundColor',
      /than white paper/,
    ],
    [
      'a narrow margin without a frame',
      { quietZone: 3 },
      {},
      'quietZone',
      /^must be at least 4 without a frame$/,
    ],
    ['no margin', { quietZone: 0 }, {}, 'quietZone', /^must be at least 2$/],
    ['a frame without a text', { frame: 'card' }, {}, 'frameText', /^is required with a frame$/],
    [
      'a text that cannot be drawn',
      { frame: 'card', frameText: 'Scan ཀ' },
      {},
      'frameText',
      /^must not contain ཀ/,
    ],
    [
      'a text that is too long',
      { frame: 'card', frameText: 'x'.repeat(31) },
      {},
      'frameText',
      /^must have at most 30 characters$/,
    ],
    [
      'a text that cannot be seen',
      { frame: 'card', frameText: 'Hi', frameTextColor: '#1a1411' },
      {},
      'frameTextColor',
      /^must differ more from the frame/,
    ],
    [
      'a shape of eyes that not every reader finds',
      { eyeFrameShape: 'circle' },
      {},
      'eyeFrameShape',
      /^must be one of square, /,
    ],
    ['an unknown shape', { moduleShape: 'hearts' }, {}, 'moduleShape', /^must be one of square, /],
    ['an unknown field', { icon: 'x' }, {}, 'icon', /is not a field/],
    ['a logo by name', { logo: 'x' }, {}, 'logo', /^cannot be set here; use PUT /],
    ['a logo that is too large', { logoSize: 25 }, {}, 'logoSize', /^must be at most 24$/],
    ['a color by name', { eyeBallColor: 'red' }, {}, 'eyeBallColor', /^must be a hex color/],
  ];
  for (const [what, design, look, field, message] of refused) {
    it(`is refused with ${what}`, async () => {
      proofs = sharedProofs();
      const { id } = await create(look);
      const answer = await put(id, design);
      expectInvalid(answer, [field]);
      expect(answer.body.details[0].message).to.match(message);
      expect((await get(id)).body.updatedAt).to.equal(null);
    });
  }

  it('is proven again when the colors change, and refuses those that phones could not read', async () => {
    const { id } = await create();
    await put(id, nice);
    proofs = sharedProofs();
    const patch = (body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });
    expectInvalid(await patch({ foregroundColor: '#dddddd' }), ['foregroundColor', 'frameTextColor']);
    expect((await api(`/qrcodes/${id}`)).body.foregroundColor).to.equal('#1a1410');
    expect((await patch({ foregroundColor: '#004060', errorCorrection: 'Q' })).status).to.equal(200);
    expect((await get(id)).body).to.include({ moduleShape: 'rounded', readsAtMm: 20 });
  });

  it('says that it is not proven after a change that was made elsewhere', async () => {
    const { id } = await create();
    await put(id, nice);
    await service.db('qr_codes').where({ id }).update({ foreground_color: '#004060' });
    expect((await get(id)).body).to.include({
      readsAtMm: null,
      proof: 'The code has changed since its design was proven. Save the design again.',
    });
  });

  it('belongs to the owner of the code', async () => {
    const { id } = await create();
    await put(id, nice);
    const stranger = ownerClient(service);
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const)
      expectError(
        await stranger(`/qrcodes/${id}/design`, { method, ...(body && { body }) }),
        404,
        'not_found',
      );
    expect((await get(id)).body.moduleShape).to.equal('rounded');
  });

  it('is deleted with the code', async () => {
    const { id } = await create();
    await put(id, nice);
    await api(`/qrcodes/${id}?permanently=true`, { method: 'DELETE' });
    expect(await service.db('designs').where({ code_id: id })).to.deep.equal([]);
  });
});
