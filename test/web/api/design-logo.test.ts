import { expect } from 'chai';
import { defaultDesign } from '../../../src/codes/design/design.ts';
import { maxLogos } from '../../../src/codes/files/upload.ts';
import { onPaper } from '../../../src/codes/proof/photograph.ts';
import { readers } from '../../../src/codes/proof/prove.ts';
import { colorAt, readColorPng } from '../../codes/design/png-pixels.ts';
import { jpeg, plainSvg, png, webp } from '../../codes/files/logo-files.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { canRenderPdf, findCodes, renderPdf } from '../../support/render-pdf.ts';
import { startService, type TestService } from '../../support/service.ts';
import { provingService } from '../../support/shared-service.ts';
import { quickImages } from '../../support/shared-threads.ts';

describe('The logo of a QR code, /api/v1/qrcodes/:id/design/logo', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService(quickImages);
    api = ownerClient(service);
  });
  after(() => service.stop());

  async function create(body: object = {}, client = api) {
    const made = await client('/qrcodes', {
      method: 'POST',
      body: { name: 'Menu', content: 'https://example.com/', ...body },
    });
    return made.body as { id: string; shareToken: string; shareUrl: string };
  }
  const upload = (id: string, file: Buffer, { client = api, headers = {} } = {}) =>
    client(`/qrcodes/${id}/design/logo`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': 'application/octet-stream', ...headers },
    });
  const design = async (id: string, client = api) => (await client(`/qrcodes/${id}/design`)).body;
  const countLogos = async () => Number((await service.db('logos').count())[0]?.['count']);
  const picture = async (token: string, ending: string, { url } = service) => {
    const response = await fetch(`${url}/r/${token}.${ending}`);
    expect(response.status).to.equal(200);
    return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  /** What a scanner reads from the rendered pages. */
  const textsIn = async (pdf: Buffer) => {
    const found = await Promise.all((await renderPdf(pdf)).map((page) => findCodes(page)));
    return found.flat().map(({ text }) => text);
  };

  it('is proven, and shown in every picture', async () => {
    const proving = await provingService();
    const client = ownerClient(proving);
    const { id, shareToken, shareUrl } = await create({}, client);
    const before = await picture(shareToken, 'png', proving);
    const answer = await upload(id, png(), { client });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.include({ ...defaultDesign, logo: answer.body.logo });
    // Level H, which some share tokens need, has more modules.
    expect(answer.body.readsAtMm).to.be.oneOf([15, 20]);
    expect(answer.body.logo).to.match(/^[\w-]{43}$/);
    // Without the advice for a smaller print, which is given once.
    const { proof, ...saved } = answer.body;
    expect(await design(id, client)).to.deep.include(saved);
    expect(proof).to.include(`Reads at ${saved.readsAtMm} mm`);
    const shown = await picture(shareToken, 'png', proving);
    expect(shown.headers.get('etag')).to.not.equal(before.headers.get('etag'));
    const pixels = readColorPng(shown.bytes);
    for (const [name, read] of Object.entries(readers))
      expect(await read(onPaper(pixels)), name).to.equal(shareUrl);
    const svg = await picture(shareToken, 'svg', proving);
    const drawn = svg.bytes.toString();
    expect(drawn).to.include('xlink:href="data:image/png;base64,');
    expect(drawn.match(/href=|url\(|<script/g)).to.have.length(1);
    // Opened directly, it shows the logo and loads nothing else.
    expect(svg.headers.get('content-security-policy')).to.equal("default-src 'none'; img-src data:");
    const pdf = (await picture(shareToken, 'pdf', proving)).bytes;
    expect(pdf.toString('latin1')).to.include('/Subtype /Image').and.to.include('/SMask');
    if (canRenderPdf()) expect(await textsIn(pdf)).to.deep.equal([shareUrl]);
  });

  for (const [type, make, middle] of [
    ['PNG', async () => png(), '#ffffff'],
    ['JPEG', jpeg, '#ffffff'],
    ['WebP', webp, '#ffffff'],
    ['SVG', async () => plainSvg, '#000000'],
  ] as const) {
    it(`is set from a ${type} file`, async () => {
      const { id, shareToken } = await create();
      const { status, body } = await upload(id, await make());
      expect(status).to.equal(200);
      expect((await design(id)).logo)
        .to.equal(body.logo)
        .and.to.match(/^[\w-]{43}$/);
      // The middle of the square and of the triangle.
      expect(colorAt(readColorPng((await picture(shareToken, 'png')).bytes), 256, 256)).to.equal(middle);
    });
  }

  it('raises the error correction as far as needed, and says so', async () => {
    const { id } = await create({ errorCorrection: 'L' });
    const { status, body } = await upload(id, png());
    expect(status).to.equal(200);
    expect(body.proof).to.match(
      /^Reads at \d\d mm from 15 cm\..* The error correction of the code was raised from L to Q, because the logo covers modules\.$/,
    );
    expect((await api(`/qrcodes/${id}`)).body.errorCorrection).to.equal('Q');
    expect((await design(id)).readsAtMm).to.equal(body.readsAtMm);
    const larger = await api(`/qrcodes/${id}/design`, { method: 'PUT', body: { logoSize: 24 } });
    expect(larger.body.proof).to.include('was raised from Q to H');
    const lower = await api(`/qrcodes/${id}`, { method: 'PATCH', body: { errorCorrection: 'L' } });
    expectInvalid(lower, ['errorCorrection']);
    expect(lower.body.message).to.include('must be at least H with a logo of this size');
    expect((await api(`/qrcodes/${id}`)).body.errorCorrection).to.equal('H');
  });

  it('is refused where the content leaves no room for more error correction', async () => {
    const { id } = await create({ type: 'text', content: 'x'.repeat(2_900), errorCorrection: 'L' });
    const answer = await upload(id, png());
    expectInvalid(answer, ['logoSize']);
    expect(answer.body.message).to.include('choose a smaller one, or shorten the content');
  });

  it('stays when the rest of the design is replaced, and goes with DELETE or with the design', async () => {
    const { id } = await create();
    const { logo } = (await upload(id, png())).body;
    const body = { moduleShape: 'rounded', logoSize: 15 };
    const replaced = await api(`/qrcodes/${id}/design`, { method: 'PUT', body });
    expect(replaced.body).to.include({ ...body, logo });
    const removed = () => api(`/qrcodes/${id}/design/logo`, { method: 'DELETE' });
    expect((await removed()).status).to.equal(204);
    const left = await design(id);
    expect(left).to.include({ moduleShape: 'rounded', logo: null });
    expect(left.readsAtMm).to.be.oneOf([15, 20]);
    expect((await removed()).status).to.equal(204);
    await upload(id, png());
    await api(`/qrcodes/${id}/design`, { method: 'DELETE' });
    expect((await design(id)).logo).to.equal(null);
  });

  it('is not replaced or removed with the ETag of an earlier version', async () => {
    const { id } = await create();
    const old = (await api(`/qrcodes/${id}/design`)).headers.get('etag') ?? '';
    const { headers } = await upload(id, png(), { headers: { 'If-Match': old } });
    expect((await upload(id, plainSvg, { headers: { 'If-Match': old } })).status).to.equal(412);
    const remove = (etag: string) =>
      api(`/qrcodes/${id}/design/logo`, { method: 'DELETE', headers: { 'If-Match': etag } });
    expect((await remove(old)).status).to.equal(412);
    expect((await remove(headers.get('etag') ?? '')).status).to.equal(204);
  });

  it('is stored once for an account, and deleted with its last use', async () => {
    const start = await countLogos();
    const file = png(40, 40);
    const codes = [await create(), await create(), await create()];
    const answers = await Promise.all(codes.map(({ id }) => upload(id, file)));
    expect(new Set(answers.map(({ body }) => body.logo)).size).to.equal(1);
    expect(await countLogos()).to.equal(start + 1);
    const stranger = ownerClient(service);
    const other = await create({}, stranger);
    const theirs = await upload(other.id, file, { client: stranger });
    expect(theirs.body.logo).to.not.equal(answers[0]?.body.logo);
    expect(await countLogos()).to.equal(start + 2);
    const [first, second, third] = codes.map(({ id }) => id);
    await api(`/qrcodes/${first}/design/logo`, { method: 'DELETE' });
    await api(`/qrcodes/${second}/design`, { method: 'DELETE' });
    expect(await countLogos()).to.equal(start + 2);
    await api(`/qrcodes/${third}?permanently=true`, { method: 'DELETE' });
    // Versions of the other two can be restored.
    expect(await countLogos()).to.equal(start + 2);
    await service
      .db('replaced_logos')
      .whereIn('code_id', [String(first), String(second)])
      .delete();
    expect(await countLogos()).to.equal(start + 1);
    await upload(other.id, plainSvg, { client: stranger });
    expect(await countLogos()).to.equal(start + 2);
    const { user_id: userId } = await service.db('qr_codes').where({ id: other.id }).first();
    await service.db('users').where({ id: userId }).delete();
    expect(await countLogos()).to.equal(start);
  });

  it('is never lost where one code starts to use it while another stops', async () => {
    const [one, other] = [await create(), await create()];
    const file = png(30, 20);
    await upload(one.id, file);
    for (let round = 0; round < 5; round += 1) {
      const [from, to] = round % 2 === 0 ? [one, other] : [other, one];
      const [, set] = await Promise.all([
        api(`/qrcodes/${from.id}/design/logo`, { method: 'DELETE' }),
        upload(to.id, file),
      ]);
      expect(set.status).to.equal(200);
      const stored = await service.db('logos').where({ id: set.body.logo });
      expect(stored, `round ${round}`).to.have.length(1);
    }
  });

  it(`is refused where an account has ${maxLogos} others`, async () => {
    const client = ownerClient(service);
    const { id } = await create({}, client);
    const { user_id: userId } = await service.db('qr_codes').where({ id }).first();
    const rows = Array.from({ length: maxLogos }, (_, index) => ({
      id: `full-${index}`,
      user_id: userId,
      png: Buffer.from('x'),
      created_at: new Date(),
    }));
    await service.db('logos').insert(rows);
    const answer = await upload(id, png(), { client });
    expectInvalid(answer, ['logo']);
    expect(answer.body.message).to.include(`a workspace can have ${maxLogos} different ones`);
  });

  it('belongs to the owner of the code', async () => {
    const { id } = await create();
    await upload(id, png());
    const stranger = ownerClient(service);
    expectError(await upload(id, plainSvg, { client: stranger }), 404, 'not_found');
    const removed = await stranger(`/qrcodes/${id}/design/logo`, { method: 'DELETE' });
    expectError(removed, 404, 'not_found');
    expect((await design(id)).logo).to.be.a('string');
  });

  it('is printed on labels, once in the file however many labels show it', async () => {
    const key = await service.makeKey({ email: 'printer@example.com' });
    const client = apiClient(service.url, key);
    const codes = [];
    for (let index = 0; index < 3; index += 1) codes.push(await create({}, client));
    for (const { id } of codes) await upload(id, png(), { client });
    const labels = await fetch(`${service.url}/api/v1/qrcodes/labels`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ qrCodeIds: codes.map(({ id }) => id), sheet: 'L7160' }),
    });
    expect(labels.status, await labels.clone().text()).to.equal(200);
    const pdf = Buffer.from(await labels.arrayBuffer());
    const source = pdf.toString('latin1');
    expect(source.match(/\/SMask/g)).to.have.length(1);
    expect(source.match(/\/Subtype \/Image/g)).to.have.length(2);
    if (canRenderPdf()) expect(await textsIn(pdf)).to.have.members(codes.map(({ shareUrl }) => shareUrl));
  });

  it('must have at most 1 MB', async () => {
    const { id } = await create();
    expectError(await upload(id, Buffer.alloc(1024 * 1024 + 1)), 413, 'validation_error');
  });
});
