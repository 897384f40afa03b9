import { expect } from 'chai';
import { parseVcard } from '../../../src/codes/content/vcard.ts';
import { pdf } from '../../codes/files/pdf-file.ts';
import { jpeg, png } from '../../codes/files/logo-files.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectInvalid } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { quickImages } from '../../support/shared-threads.ts';
import { createCode, openShare } from '../../support/share.ts';

describe('The photo of a contact, /api/v1/qrcodes/:id/photo', () => {
  let service: TestService;
  let api: ApiClient;

  before(async () => {
    service = await startService(quickImages);
    api = ownerClient(service);
  });
  after(() => service.stop());

  const card = (version: string, more = '') =>
    `BEGIN:VCARD\r\nVERSION:${version}\r\nN:Doe;Ann;;;\r\nFN:Ann Doe\r\n${more}TEL:+15551234567\r\nEND:VCARD`;
  const contact = (content = card('3.0')) => createCode(api, { name: 'Ann', type: 'vcard', content });
  const upload = (id: string, file: Buffer, type = 'application/octet-stream') =>
    api(`/qrcodes/${id}/photo`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': type },
    });
  const vcf = async (token: string) => (await openShare(service.url, `${token}.vcf`)).text();
  const photosIn = (text: string) =>
    parseVcard(text)?.properties.filter(({ name }) => name === 'PHOTO') ?? [];

  it('is not stored where the code became another one during the upload', async () => {
    const { id } = await contact();
    const holder = await service.db.transaction();
    await holder('qr_codes').where({ id }).forUpdate().select('id');
    const uploaded = upload(id, png());
    await eventually(async () => {
      const { rows } = (await service.db.raw(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )) as { rows: unknown[] };
      expect(rows).to.have.length(1);
    });
    await holder('qr_codes').where({ id }).update({ type: 'text', content: 'Hello' });
    await holder.commit();
    expectInvalid(await uploaded, ['photo']);
    expect(await service.db('code_files').where({ code_id: id })).to.deep.equal([]);
  });

  it('is on the share page and in the saved contact, and not in the direct code', async () => {
    const { id, shareToken } = await contact();
    const before = await (await openShare(service.url, `${shareToken}.svg?encode=content`)).text();
    const { status, body } = await upload(id, await jpeg(800, 600), 'image/jpeg');
    expect(status).to.equal(200);
    expect(body.url).to.equal(`https://qr.test/f/${shareToken}/photo.jpg`);
    expect((await api(`/qrcodes/${id}/photo`)).body).to.deep.equal(body);
    const page = await (await openShare(service.url, shareToken)).text();
    const [, source = ''] = /<img class="photo" src="([^"]+)"/.exec(page) ?? [];
    const shown = await fetch(service.url + source);
    expect(shown.headers.get('content-type')).to.equal('image/jpeg');
    const photo = Buffer.from(await shown.arrayBuffer());
    expect(photo.length)
      .to.equal(body.bytes)
      .and.to.be.at.most(64 * 1024);
    const text = await vcf(shareToken);
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).to.be.at.most(75);
    expect(text).to.include('\r\nFN:Ann Doe\r\n');
    const [property, ...more] = photosIn(text);
    expect(more).to.deep.equal([]);
    expect(Buffer.from(property?.raw ?? '', 'base64').equals(photo)).to.equal(true);
    expect(property?.parameters).to.deep.equal([
      { name: 'ENCODING', values: ['b'] },
      { name: 'TYPE', values: ['JPEG'] },
    ]);
    expect((await api(`/qrcodes/${id}`)).body.content).to.equal(card('3.0'));
    expect(await (await openShare(service.url, `${shareToken}.svg?encode=content`)).text()).to.equal(before);
  });

  it('takes the place of a photo in the content, in version 4.0 as a data URL', async () => {
    const { id, shareToken } = await contact(card('4.0', 'item1.PHOTO:https://example.com/\r\n ann.jpg\r\n'));
    expect(photosIn(await vcf(shareToken))).to.have.length(1);
    await upload(id, png());
    const photos = photosIn(await vcf(shareToken));
    expect(photos).to.have.length(1);
    expect(photos[0]?.raw).to.match(/^data:image\/jpeg;base64,[\w+/]+=*$/);
    expect((await api(`/qrcodes/${id}/photo`, { method: 'DELETE' })).status).to.equal(204);
    expect(await vcf(shareToken)).to.include('https://example.com/ann.jpg');
    expect(await (await openShare(service.url, shareToken)).text()).to.not.include('<img');
  });

  it('goes when the code becomes something else, and cannot be set for anything else', async () => {
    const { id } = await contact();
    await upload(id, png());
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { type: 'text', content: 'Moved' } });
    expect((await api(`/qrcodes/${id}/photo`)).body).to.deep.equal({
      bytes: null,
      url: null,
      updatedAt: null,
    });
    expectInvalid(await upload(id, png()), ['photo']);
  });

  it('must be an image', async () => {
    const { id } = await contact();
    for (const file of [pdf(), Buffer.alloc(0), Buffer.from('GIF89a'), png().subarray(0, 50)])
      expectInvalid(await upload(id, file), ['photo']);
    expectInvalid(await upload(id, png(), 'image/jpeg'), ['photo']);
  });
});
