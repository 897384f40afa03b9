import { expect } from 'chai';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import type { NewCode } from '../../../src/codes/codes.ts';
import { QrCode } from '../../../src/codes/qr-code.ts';
import { dayMs } from '../../../src/runtime/units.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { storeCode } from './code-owner.ts';

const now = new Date('2026-11-16T12:00:00.000Z');
const inDays = (days: number) => new Date(now.getTime() + days * dayMs);
const look = { size: '512', errorCorrection: 'M', foregroundColor: '#000000', backgroundColor: '#ffffff' };

describe('The end of a code on the pages', () => {
  let service: TestService;
  let client: FormClient;
  let email: string;
  let owners = 0;

  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    service.setNow(now);
    email = `ends-${(owners += 1)}@example.com`;
    await findOrCreateUser(service.db, email, now);
    client = await signedIn(service, email);
  });
  after(() => service.stop());

  /** A code with the default lifetime, or with that end, as its owner chose it. */
  async function makeCode(changes: Partial<NewCode> = {}, expiresAt?: Date): Promise<string> {
    const { id } = await storeCode(service.db, email, changes);
    const end = expiresAt ?? inDays(365);
    await service
      .db('qr_codes')
      .where({ id })
      .update({ expires_at: end, default_expires_at: expiresAt ? new Date(0) : end });
    return id;
  }

  const open = async (path: string) => (await client.get(path)).text();
  const stored = (id: string) => QrCode.query(service.db).findById(id).throwIfNotFound();
  const badges = (html: string) =>
    [...html.matchAll(/<span class="badge[^"]*">(Expires[^<]*)</g)].map(([, text]) => text);
  const valueOf = (html: string, name: string) =>
    new RegExp(`<(?:input|textarea)[^>]* name="${name}"[^>]*?(?: value="([^"]*)"[^>]*>|>([^<]*)<)`)
      .exec(html)
      ?.slice(1)
      .find((text) => text !== undefined);
  const edit = (id: string, fields: Record<string, string>) =>
    client.post(`/codes/${id}/edit`, { name: 'Test', content: 'https://example.com/', ...look, ...fields });

  it('is announced in the list and on the page for its last thirty days', async () => {
    for (const [days, words] of [
      [12, 'Expires in 12 days'],
      [30, 'Expires in 30 days'],
      [1, 'Expires tomorrow'],
      [0.1, 'Expires today'],
    ] as const) {
      const id = await makeCode({}, inDays(days));
      expect(badges(await open('/codes'))[0], words).to.equal(words);
      expect(badges(await open(`/codes/${id}`)), words).to.deep.equal([words]);
    }
    for (const days of [31, 365, -1]) {
      const id = await makeCode({}, inDays(days));
      expect(badges(await open(`/codes/${id}`)), String(days)).to.deep.equal([]);
    }
  });

  it('is a filter of the list, which stays when the reader turns the page', async () => {
    for (const days of [3, 20, 60, 365, -2]) await makeCode({ name: `in ${days}` }, inDays(days));
    const names = async (query: string) =>
      [...(await open(`/codes?${query}`)).matchAll(/<bdi>(in [^<]*)</g)].map(([, name]) => name);
    expect(await names('endsWithin=7')).to.deep.equal(['in 3']);
    expect(await names('endsWithin=30')).to.have.members(['in 3', 'in 20']);
    expect(await names('endsWithin=90')).to.have.members(['in 3', 'in 20', 'in 60']);
    expect(await names('endsWithin=ended')).to.deep.equal(['in -2']);
    expect(await names('endsWithin=8')).to.have.length(5);
    for (let more = 0; more < 20; more += 1) await makeCode({}, inDays(5));
    expect(await open('/codes?endsWithin=30')).to.contain('/codes?endsWithin=30&amp;after=');
    for (let more = 0; more < 20; more += 1) await makeCode({}, inDays(-5));
    expect(await open('/codes?endsWithin=ended'))
      .to.contain('/codes?endsWithin=ended&amp;after=')
      .and.to.match(/<option value="ended" selected/);
  });

  it('is not chosen in a new code unless its owner gives a last day', async () => {
    expect(valueOf(await open('/codes/new'), 'lastDay')).to.equal('');
    const create = async (fields: Record<string, string>) => {
      const answer = await client.post('/codes/new', {
        type: 'url',
        name: 'New',
        content: 'example.com',
        ...look,
        ...fields,
      });
      expect(answer.status).to.equal(303);
      return stored(answer.headers.get('location')?.slice('/codes/'.length) ?? '');
    };
    const unlimited = await create({ afterExpiryUrl: 'example.com/closed' });
    expect(unlimited.expiresAt).to.deep.equal(inDays(365));
    expect(unlimited.defaultExpiresAt).to.deep.equal(inDays(365));
    expect(unlimited.afterExpiryUrl).to.equal('https://example.com/closed');
    expect(await open(`/codes/${unlimited.id}`))
      .to.contain('Renewed by scans from')
      .and.contain('https://example.com/closed');
    const limited = await create({ lastDay: '2027-06-30' });
    expect(limited.expiresAt.toISOString()).to.equal('2027-07-01T00:00:00.000Z');
    expect(await open(`/codes/${limited.id}`)).not.to.contain('Renewed by scans from');
  });

  it('is chosen with a last day, and left to the service without one', async () => {
    const id = await makeCode();
    expect(valueOf(await open(`/codes/${id}/edit`), 'lastDay')).to.equal('');
    expect((await edit(id, { lastDay: '' })).status).to.equal(303);
    expect((await stored(id)).expiresAt).to.deep.equal(inDays(365));
    await edit(id, { lastDay: '2027-11-16' });
    const chosen = await stored(id);
    expect(chosen.expiresAt.toISOString()).to.equal('2027-11-17T00:00:00.000Z');
    expect(chosen.defaultExpiresAt).to.deep.equal(new Date(0));
    expect(valueOf(await open(`/codes/${id}/edit`), 'lastDay')).to.equal('2027-11-16');
    service.setNow(inDays(1));
    await open(`/codes/${id}/edit`);
    await edit(id, { lastDay: '' });
    expect(await stored(id)).to.deep.include({ expiresAt: inDays(366), defaultExpiresAt: inDays(366) });
  });

  it('is not moved into the past by the form, but by a button that asks', async () => {
    const id = await makeCode();
    await open(`/codes/${id}/edit`);
    const refused = await edit(id, { lastDay: '2026-11-15' });
    expect(refused.status).to.equal(400);
    expect(await refused.text())
      .to.contain('This day is over. Choose a day from today on, or end the code at once.')
      .and.contain(`<a href="/codes/${id}/expire">Expire now</a>`);
    expect((await stored(id)).expiresAt).to.deep.equal(inDays(365));
    expect((await edit(id, { lastDay: '2026-11-16' })).status).to.equal(303);
    expect(await open(`/codes/${id}`)).to.contain('>Expire now</a>');
    expect(await open(`/codes/${id}/expire`)).to.contain('You can renew it at any time');
    expect((await stored(id)).expiresAt.toISOString()).to.equal('2026-11-17T00:00:00.000Z');
    const expired = await client.post(`/codes/${id}/expire`, {});
    expect(expired.headers.get('location')).to.equal(`/codes/${id}`);
    expect((await stored(id)).expiresAt).to.deep.equal(now);
    expect(await open(`/codes/${id}`))
      .to.contain('The code has expired now. Renew it')
      .and.not.contain('>Expire now</a>');
    expect((await client.get(`/codes/${id}/expire`)).status).to.equal(303);
  });

  it('shows no last day for a code of an older release that has the default lifetime', async () => {
    const id = await makeCode();
    const { createdAt } = await stored(id);
    await service
      .db('qr_codes')
      .where({ id })
      .update({ expires_at: new Date(createdAt.getTime() + 365 * dayMs), default_expires_at: null });
    expect(valueOf(await open(`/codes/${id}/edit`), 'lastDay')).to.equal('');
  });

  it('rejects an address for the time after the end as it rejects a content, at its field', async () => {
    const id = await makeCode();
    await open(`/codes/${id}/edit`);
    for (const [afterExpiryUrl, message] of [
      ['javascript:alert(1)', 'This is not a web address'],
      ['https://qr.test/r/abcdefghij', 'This is a share link of this service'],
    ] as const) {
      const answer = await edit(id, { afterExpiryUrl });
      expect(answer.status).to.equal(400);
      expect(/id="field-afterExpiryUrl-error"[^>]*>([^<]*)</.exec(await answer.text())?.[1]).to.contain(
        message,
      );
    }
    await edit(id, { afterExpiryUrl: 'https://example.com/later' });
    expect((await stored(id)).afterExpiryUrl).to.equal('https://example.com/later');
    await edit(id, { afterExpiryUrl: '' });
    expect((await stored(id)).afterExpiryUrl).to.equal(null);
  });

  it('is renewed with one button in its last sixty days, where the email about it leads', async () => {
    const later = await makeCode({}, inDays(61));
    expect(await open(`/codes/${later}`)).not.to.contain('/renew"');
    const unused = await makeCode();
    await service
      .db('qr_codes')
      .where({ id: unused })
      .update({ expires_at: inDays(59), default_expires_at: inDays(59) });
    expect(await open(`/codes/${unused}`)).to.contain('A scan before that renews it.');
    const id = await makeCode({}, inDays(59));
    expect(await open(`/codes/${id}`))
      .to.contain('This code expires on')
      .and.contain(`action="/codes/${id}/renew"`)
      .and.not.contain('A scan before that');
    await client.post(`/codes/${id}/renew`, { back: `/codes/${id}` });
    expect(await stored(id)).to.deep.include({ expiresAt: inDays(365), defaultExpiresAt: inDays(365) });
    expect(await open(`/codes/${id}`))
      .to.contain('The code was renewed.')
      .and.not.contain('This code ends');
  });

  it('is renewed with one button once it has passed', async () => {
    const id = await makeCode({}, inDays(-1));
    expect(await open(`/codes/${id}`)).to.contain(`action="/codes/${id}/renew"`);
    expect((await client.post(`/codes/${id}/renew`, { back: `/codes/${id}` })).status).to.equal(303);
    expect(await stored(id)).to.deep.include({ expiresAt: inDays(365), defaultExpiresAt: inDays(365) });
  });
});
