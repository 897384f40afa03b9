import { expect } from 'chai';
import { fieldsOfContent } from '../../../src/codes/content/content-fields.ts';
import {
  codeTypes,
  contentKind,
  contentType,
  parseContent,
} from '../../../src/codes/content/content-types.ts';
import { QrCode } from '../../../src/codes/qr-code.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { storeCode } from './code-owner.ts';

const look = { size: '512', errorCorrection: 'M', foregroundColor: '#000000', backgroundColor: '#ffffff' };

describe('The type of a code in its form', () => {
  let service: TestService;
  let client: FormClient;
  const email = 'types@example.com';

  before(async () => {
    service = await startService();
    client = await signedIn(service, email);
  });
  after(() => service.stop());

  const stored = (id: string) => QrCode.query(service.db).findById(id).throwIfNotFound();
  const open = async (path: string) => (await client.get(path)).text();
  const versionIn = (html: string) => /name="version" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const sms = { type: 'sms', content: 'sms:+44207946?&body=Hi%20there' } as const;

  for (const type of codeTypes) {
    it(`${type} is created by its form, edited in it, and shared`, async () => {
      const { example } = contentType(type);
      const fields = fieldsOfContent(type, example);
      await open(`/codes/new?type=${type}`);
      const created = await client.post('/codes/new', { type, name: 'Example', ...fields, ...look });
      expect(created.status, await created.text()).to.equal(303);
      const id = /codes\/([0-9a-f-]+)/.exec(created.headers.get('Location') ?? '')?.[1] ?? '';
      const { content, shareToken } = await stored(id);
      expect(parseContent(type, content)).to.deep.equal(parseContent(type, example));

      const form = await open(`/codes/${id}/edit`);
      const edit = { type, name: 'Renamed', ...fields, ...look, version: versionIn(form) };
      expect((await client.post(`/codes/${id}/edit`, edit)).status).to.equal(303);
      expect(await stored(id)).to.include({ name: 'Renamed', content });

      const share = (ending: string) =>
        fetch(`${service.url}/r/${shareToken}${ending}`, { redirect: 'manual' });
      const parsed = parseContent(type, content);
      expect((await share('')).status).to.equal(parsed.kind === 'link' ? 302 : 200);
      expect((await share('.svg?encode=content')).status).to.equal(200);
      const { file } = contentKind(parsed.kind);
      for (const extension of ['vcf', 'ics']) {
        const answer = await share(`.${extension}`);
        expect(answer.status, extension).to.equal(extension === file?.extension ? 200 : 404);
        if (answer.status !== 200) continue;
        expect(Object.fromEntries(answer.headers)).to.include({
          'content-type': file?.mediaType,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'x-robots-tag': 'noindex',
        });
        expect(answer.headers.get('content-disposition')).to.match(
          new RegExp(`^attachment; .*\\.${extension}"`),
        );
      }
    });
  }

  it('can be chosen, with what can be kept of the stored content, and is saved with the new content', async () => {
    const { id, shareToken } = await storeCode(service.db, email, sms);
    const form = await open(`/codes/${id}/edit?type=whatsapp`);
    expect(form).to.contain('value="+44207946"').and.contain('Hi there</textarea>').and.contain('Was SMS.');
    expect((await stored(id)).type).to.equal('sms');
    const fields = { type: 'whatsapp', number: '+44207946', message: 'Hi there', name: 'Test', ...look };
    const answer = await client.post(`/codes/${id}/edit`, { ...fields, version: versionIn(form) });
    expect(answer.status).to.equal(303);
    expect(await stored(id)).to.include({
      type: 'whatsapp',
      content: 'https://wa.me/44207946?text=Hi%20there',
      shareToken,
    });
  });

  it('keeps what was typed and not saved, and changes nothing until it is saved', async () => {
    const { id } = await storeCode(service.db, email, sms);
    const opened = await open(`/codes/${id}/edit`);
    const typed = {
      type: 'sms',
      number: '+491701',
      message: 'Typed',
      name: 'Renamed',
      category: 'Bar',
      ...look,
    };
    const version = versionIn(opened);
    const answer = await client.post(`/codes/${id}/edit?type=email&switch`, { ...typed, version });
    expect(answer.status).to.equal(200);
    const form = await answer.text();
    expect(form).to.contain('Typed</textarea>').and.contain('value="Renamed"').and.contain('value="Bar"');
    expect(versionIn(form)).to.equal(version);
    expect(await stored(id)).to.include(sms);
    const back = await client.post(`/codes/${id}/edit?type=sms&switch`, {
      type: 'email',
      to: 'ann@example.com',
      name: 'Renamed',
      ...look,
      version,
    });
    expect(await back.text())
      .to.contain('Hi there</textarea>')
      .and.contain('value="Renamed"');
  });

  it('keeps what was typed for a new code', async () => {
    await open('/codes/new');
    const answer = await client.post('/codes/new?type=phone&switch', {
      type: 'vcard',
      phone: '+491701',
      name: 'Front desk',
      lastDay: '2031-02-28',
      ...look,
    });
    expect(answer.status).to.equal(200);
    expect(await answer.text())
      .to.contain('value="+491701"')
      .and.contain('value="Front desk"')
      .and.contain('value="2031-02-28"');
  });

  it('rejects content that the new type does not take', async () => {
    const { id } = await storeCode(service.db, email, sms);
    await open(`/codes/${id}/edit?type=url`);
    const answer = await client.post(`/codes/${id}/edit`, {
      type: 'url',
      content: 'no address',
      name: 'Test',
      ...look,
    });
    expect(answer.status).to.equal(400);
    expect(await answer.text()).to.contain('This is not a web address');
    expect(await stored(id)).to.include(sms);
  });

  it('is a conflict where the content was changed elsewhere, and is taken over where only the type was', async () => {
    const { id } = await storeCode(service.db, email, sms);
    const version = versionIn(await open(`/codes/${id}/edit`));
    const changeElsewhere = () =>
      QrCode.query(service.db).findById(id).patch({ type: 'text', content: 'Elsewhere' });
    await changeElsewhere();
    const mine = { type: 'phone', number: '+491701', name: 'Test', ...look, version };
    const conflict = await client.post(`/codes/${id}/edit`, mine);
    expect(conflict.status).to.equal(409);
    expect(await stored(id)).to.include({ type: 'text', content: 'Elsewhere' });
    // This form changed the name only.
    const untouched = {
      type: 'sms',
      number: '+44207946',
      message: 'Hi there',
      name: 'Renamed',
      ...look,
      version,
    };
    expect((await client.post(`/codes/${id}/edit`, untouched)).status).to.equal(303);
    expect(await stored(id)).to.include({ type: 'text', content: 'Elsewhere', name: 'Renamed' });
  });
});
