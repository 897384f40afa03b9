import { expect } from 'chai';
import type { ApiClient } from '../../support/api-client.ts';
import { expectInvalid, expectWindow } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const start = new Date('2027-01-01T00:00:00.000Z');
const later = new Date('2027-02-01T12:00:00.000Z');

describe('PATCH /api/v1/qrcodes/:id (decisions: Life of a QR code)', () => {
  let service: TestService;
  let api: ApiClient;
  const patch = (id: string, body: object) => api(`/qrcodes/${id}`, { method: 'PATCH', body });

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  async function create(body: object = {}) {
    service.setNow(start);
    const made = await api('/qrcodes', {
      method: 'POST',
      body: { name: 'Menu', content: 'https://example.com/', category: 'food', ...body },
    });
    const { body: code } = await api(`/qrcodes/${made.body.id}`);
    service.setNow(later);
    return code;
  }

  const changes: Record<string, unknown> = {
    name: 'Other',
    content: 'https://example.com/other',
    foregroundColor: '#ABCDEF',
    backgroundColor: '#000000',
    errorCorrection: 'H',
    size: 2048,
    category: 'drinks',
    isPublic: false,
    isFavorite: true,
    expiresAt: '2029-01-01T00:00:00.000Z',
  };
  for (const [field, value] of Object.entries(changes)) {
    it(`changes ${field} and updatedAt, nothing else, and responds with 200 in the read shape`, async () => {
      const code = await create();
      const { status, headers, body } = await patch(code.id, { [field]: value });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ ...code, [field]: value, updatedAt: later.toISOString() });
      expect((await api(`/qrcodes/${code.id}`)).body).to.deep.equal(body);
      expectWindow(headers);
    });
  }

  it('changes all of them at once', async () => {
    const code = await create();
    expect((await patch(code.id, changes)).body).to.deep.equal({
      ...code,
      ...changes,
      updatedAt: later.toISOString(),
    });
  });

  it('accepts null for no category, and stores a name trimmed and in NFC (decisions: Bodies and errors)', async () => {
    const code = await create();
    const { body } = await patch(code.id, { category: null, name: '  Cafe\u0301 ' });
    expect(body).to.include({ category: null, name: 'Caf\u00e9' });
  });

  it('accepts an empty object as no change: 200, updatedAt stays', async () => {
    const code = await create();
    const { status, body } = await patch(code.id, {});
    expect(status).to.equal(200);
    expect(body).to.deep.equal(code);
  });

  it('accepts 100 emoji for a name and a category, and 128 and 2048 for a size (8)', async () => {
    const { id } = await create();
    for (const body of [
      { name: '🎉'.repeat(100) },
      { category: '🎉'.repeat(100) },
      { size: 128 },
      { size: 2048 },
    ]) {
      expect((await patch(id, body)).body).to.include(body);
    }
  });

  describe('rejects with a 400 that names it', () => {
    let id: string;
    let unchanged: object;
    before(async () => {
      unchanged = await create();
      ({ id } = unchanged as { id: string });
    });

    const refused: Record<string, unknown[]> = {
      name: [null, '', '  ', 5, 'x'.repeat(101), '🎉'.repeat(101), 'a\0', '\ud83d'],
      content: [null, '', 5, [], 'a\0', 'javascript:alert(1)', '/menu', 'https://u:p@example.com/'],
      foregroundColor: [null, '#fff', 'red', '#1a141g', 5],
      backgroundColor: [null, '#fff', 'red', '#1a141g', 5],
      errorCorrection: [null, 'm', 'X', '', 1],
      size: [null, '512', 512.5, true, 127, 2049],
      category: ['', ' ', 5, 'x'.repeat(101), 'a\0'],
      isPublic: [null, 'true', 'false', 0, 1, ''],
      isFavorite: [null, 'true', 'false', 0, 1, ''],
    };
    for (const [field, values] of Object.entries(refused)) {
      for (const value of values) {
        it(`${field}: ${JSON.stringify(value).slice(0, 40)}`, async () => {
          expectInvalid(await patch(id, { [field]: value }), [field]);
        });
      }
    }

    for (const field of [
      'shareToken',
      'shareUrl',
      'id',
      'scanCount',
      'createdAt',
      'updatedAt',
      'userId',
      'x',
    ]) {
      it(`${field}, which never changes or is unknown`, async () => {
        expectInvalid(await patch(id, { [field]: 'text' }), [field]);
      });
    }

    it('content that is one of our share links', async () => {
      expectInvalid(await patch(id, { content: 'https://qr.test/r/abcdefghij' }), ['content']);
    });

    it('every invalid field, when there are several', async () => {
      expectInvalid(
        await patch(id, {
          name: '',
          content: '',
          size: 1,
          isPublic: 'no',
          expiresAt: 'soon',
          type: 'note',
          x: 1,
        }),
        ['name', 'type', 'content', 'size', 'isPublic', 'expiresAt', 'x'],
      );
    });

    it('and changes nothing, not even valid fields', async () => {
      expectInvalid(await patch(id, { name: 'Half', size: 1 }), ['size']);
      expect((await api(`/qrcodes/${id}`)).body).to.deep.equal(unchanged);
    });
  });

  describe('content and error correction together (decisions: Bodies and errors)', () => {
    const text = { type: 'text', errorCorrection: 'L' };

    for (const [raised, most] of Object.entries({ M: 2331, Q: 1663, H: 1273 })) {
      it(`names errorCorrection when it is raised to ${raised} and the stored content no longer fits`, async () => {
        const fits = await create({ ...text, content: 'x'.repeat(most) });
        expect((await patch(fits.id, { errorCorrection: raised })).body.errorCorrection).to.equal(raised);
        const tooLong = await create({ ...text, content: 'x'.repeat(most + 1) });
        expectInvalid(await patch(tooLong.id, { errorCorrection: raised }), ['errorCorrection']);
        expect((await api(`/qrcodes/${tooLong.id}`)).body.errorCorrection).to.equal('L');
      });
    }

    it('names content when it does not fit the stored error correction', async () => {
      const { id } = await create({ ...text, errorCorrection: 'H', content: 'x' });
      expect((await patch(id, { content: 'é'.repeat(636) })).status).to.equal(200);
      expectInvalid(await patch(id, { content: 'é'.repeat(637) }), ['content']);
    });

    it('accepts shorter content with a higher error correction, and longer content with a lower one', async () => {
      const { id } = await create({ ...text, content: 'x'.repeat(2953) });
      expect((await patch(id, { content: 'x'.repeat(1273), errorCorrection: 'H' })).status).to.equal(200);
      expect((await patch(id, { content: 'x'.repeat(2953), errorCorrection: 'L' })).status).to.equal(200);
    });

    it('checks content by the rules of its type, and no other', async () => {
      const note = await create({ type: 'text', content: 'Hello' });
      expect((await patch(note.id, { content: 'javascript:alert(1)' })).status).to.equal(200);
      expect((await patch(note.id, { errorCorrection: 'H' })).status).to.equal(200);
    });
  });

  describe('type, which can only be changed together with content (decisions: Endpoints)', () => {
    it('changes with content that is checked by the rules of the new type', async () => {
      const { id } = await create({ content: 'https://example.com/menu' });
      const { status, body } = await patch(id, { type: 'text', content: 'Closed on Mondays' });
      expect(status).to.equal(200);
      expect(body).to.include({ type: 'text', content: 'Closed on Mondays' });
      expectInvalid(await patch(id, { type: 'url', content: 'Open on Mondays' }), ['content']);
      expect((await api(`/qrcodes/${id}`)).body).to.include({ type: 'text', content: 'Closed on Mondays' });
    });

    it('is rejected alone', async () => {
      const { id } = await create();
      const answer = await patch(id, { type: 'text' });
      expectInvalid(answer, ['type']);
      expect(answer.body.message).to.equal('type can only be changed together with content.');
    });

    it('may be sent unchanged', async () => {
      const { id, type } = await create();
      expect((await patch(id, { type, name: 'Renamed' })).body).to.include({ type, name: 'Renamed' });
    });

    for (const value of [null, '', 'URL', 'note', 1]) {
      it(`is a 400 that names it: ${JSON.stringify(value)}`, async () => {
        const { id } = await create();
        expectInvalid(await patch(id, { type: value }), ['type']);
        expectInvalid(await patch(id, { type: value, content: 'https://example.com/' }), ['type']);
      });
    }

    it('blocks the hosts of the new type from then on', async () => {
      const { id } = await create({ type: 'text', content: 'Hello' });
      await patch(id, { type: 'url', content: 'https://hosts.example.net/menu' });
      const [row] = await service.db('qr_codes').where({ id }).select('hosts');
      expect(row.hosts).to.deep.equal(['hosts.example.net']);
    });
  });

  describe('expiresAt', () => {
    const taken: Record<string, string> = {
      '2020-01-01T00:00:00.000Z': '2020-01-01T00:00:00.000Z',
      '2040-02-29T23:59:59.999Z': '2040-02-29T23:59:59.999Z',
      '2028-01-01T00:00:00Z': '2028-01-01T00:00:00.000Z',
      '2028-01-01T00:00:00.5Z': '2028-01-01T00:00:00.500Z',
      '2028-01-01T02:00:00+02:00': '2028-01-01T00:00:00.000Z',
      '2027-12-31T18:30:00.250-05:30': '2028-01-01T00:00:00.250Z',
      '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
    };
    for (const [given, stored] of Object.entries(taken)) {
      it(`accepts ${given}, past or future, and responds in UTC with milliseconds (2.1)`, async () => {
        const { id } = await create();
        const { status, body } = await patch(id, { expiresAt: given });
        expect(status).to.equal(200);
        expect(body.expiresAt).to.equal(stored);
      });
    }

    const refused: unknown[] = [
      null,
      '',
      'soon',
      'tomorrow',
      1_800_000_000_000,
      true,
      {},
      '2028-01-01',
      '2028-01-01T00:00:00',
      '2028-01-01T00:00:00.000',
      '2027-02-30T00:00:00Z',
      '2027-02-29T00:00:00Z',
      '2027-13-01T00:00:00Z',
      '2027-01-32T00:00:00Z',
      '2027-01-01T24:00:01Z',
      '2027-01-01T00:60:00Z',
      '2027-01-01T00:00:61Z',
      '2027-01-01T00:00:00+25:00',
      '2027-01-01T00:00:00 CET',
      '12027-01-01T00:00:00Z',
      '+012027-01-01T00:00:00Z',
      'Fri, 01 Jan 2027 00:00:00 GMT',
      ' 2028-01-01T00:00:00Z',
      '2028-01-01T00:00:00Z\n',
    ];
    for (const value of refused) {
      it(`is a 400 that names it: ${JSON.stringify(value)}`, async () => {
        const { id } = await create();
        expectInvalid(await patch(id, { expiresAt: value }), ['expiresAt']);
      });
    }

    for (const value of [
      '2028-12-31T23:59:60Z',
      '2028-01-01T00:00:00+02',
      '2028-01-01T00:00:00+0200',
      '2028-01-01t00:00:00z',
      '2028-01-01 00:00:00Z',
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+12:00',
      '2028-01-01T00:00:00.123456789Z',
    ]) {
      it(`is accepted or rejected by name, and never a 500: ${value}`, async () => {
        const { id } = await create();
        const answer = await patch(id, { expiresAt: value });
        if (answer.status !== 200) return expectInvalid(answer, ['expiresAt']);
        expect(new Date(answer.body.expiresAt).toISOString()).to.equal(answer.body.expiresAt);
        expect((await api(`/qrcodes/${id}`)).status).to.equal(200);
      });
    }
  });
});
