import { expect } from 'chai';
import { version as uuidVersion } from 'uuid';
import type { ApiClient } from '../../support/api-client.ts';
import { expectWindow } from '../../support/expect-error.ts';
import { ownerClient } from '../../support/owner-client.ts';
import { startService, type TestService } from '../../support/service.ts';

const minimal = { name: 'Menu', content: 'https://example.com/menu' };

const createShape = [
  'id',
  'name',
  'type',
  'content',
  'shareToken',
  'shareUrl',
  'foregroundColor',
  'backgroundColor',
  'size',
  'errorCorrection',
  'category',
  'createdAt',
  'expiresAt',
];

describe('POST /api/v1/qrcodes (4.1)', () => {
  let service: TestService;
  let api: ApiClient;
  const create = (body: object) => api('/qrcodes', { method: 'POST', body });

  before(async () => {
    service = await startService();
    api = ownerClient(service);
  });
  after(() => service.stop());

  it('responds with 201 and the fields of the create shape and no other (2.1)', async () => {
    const { status, headers, body } = await create(minimal);
    expect(status).to.equal(201);
    expect(body).to.have.all.keys(createShape);
    expectWindow(headers);
    expect(headers.get('X-Request-Id')).to.be.a('string');
    expect(headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
  });

  for (const [field, value] of Object.entries({
    type: 'url',
    foregroundColor: '#1a1410',
    backgroundColor: '#ffffff',
    errorCorrection: 'M',
    size: 512,
    category: null,
  })) {
    it(`gives ${field} the default ${value} when it is omitted (4.1)`, async () => {
      expect((await create(minimal)).body[field]).to.equal(value);
    });
  }

  it('returns the given values, and stores them (4.1)', async () => {
    const given = {
      name: 'Flyer',
      content: 'Hello',
      type: 'text',
      foregroundColor: '#00AAff',
      backgroundColor: '#FEDCBA',
      errorCorrection: 'H',
      size: 1024,
      category: 'spring',
    };
    const { status, body } = await create(given);
    expect(status).to.equal(201);
    expect(body).to.include(given);
    expect((await api(`/qrcodes/${body.id}`)).body).to.include(given);
  });

  for (const type of ['url', 'text', 'wifi', 'vcard', 'email', 'phone', 'sms', 'whatsapp', 'geo', 'social']) {
    it(`accepts the type ${type} (2.1)`, async () => {
      const { status, body } = await create({ ...minimal, type });
      expect(status).to.equal(201);
      expect(body.type).to.equal(type);
    });
  }

  for (const errorCorrection of ['L', 'M', 'Q', 'H']) {
    it(`accepts the error correction ${errorCorrection} (2.1)`, async () => {
      expect((await create({ ...minimal, errorCorrection })).body.errorCorrection).to.equal(errorCorrection);
    });
  }

  for (const size of [128, 129, 2047, 2048]) {
    it(`accepts the size ${size} (8)`, async () => {
      expect((await create({ ...minimal, size })).body.size).to.equal(size);
    });
  }

  for (const written of ['512.0', '5.12e2']) {
    it(`accepts ${written} as an integer (decisions: Bodies and errors)`, async () => {
      const raw = `{"name":"Menu","content":"https://example.com/","size":${written}}`;
      const { status, body } = await api('/qrcodes', { method: 'POST', raw });
      expect(status).to.equal(201);
      expect(body.size).to.equal(512);
    });
  }

  it('generates a new UUIDv7 and a new share token of 10 base62 characters each time (decisions: Identifiers)', async () => {
    const [one, other] = [(await create(minimal)).body, (await create(minimal)).body];
    expect(uuidVersion(one.id)).to.equal(7);
    expect(one.id).to.not.equal(other.id);
    expect(one.shareToken).to.match(/^[0-9A-Za-z]{10}$/);
    expect(one.shareToken).to.not.equal(other.shareToken);
  });

  it('puts the base address and the token in shareUrl (2.1)', async () => {
    const { body } = await create(minimal);
    expect(body.shareUrl).to.equal(`https://qr.test/r/${body.shareToken}`);
  });

  it('writes createdAt in ISO 8601 UTC with milliseconds (2.1), and expires 365 days later (decisions: Life of a QR code)', async () => {
    service.setNow(new Date('2027-12-01T23:59:59.007Z'));
    const { body } = await create(minimal);
    expect(body.createdAt).to.equal('2027-12-01T23:59:59.007Z');
    // 2028 is a leap year: 365 days are not a year.
    expect(body.expiresAt).to.equal('2028-11-30T23:59:59.007Z');
  });

  it('takes the lifetime from QR_CODE_LIFETIME_DAYS (decisions: Life of a QR code)', async () => {
    const brief = await startService({ config: { qrCodeLifetimeDays: 7 } });
    brief.setNow(new Date('2027-03-01T00:00:00.000Z'));
    const { body } = await ownerClient(brief)('/qrcodes', { method: 'POST', body: minimal });
    await brief.stop();
    expect(body.expiresAt).to.equal('2027-03-08T00:00:00.000Z');
  });

  it('allows two codes with the same name and content', async () => {
    expect((await create(minimal)).status).to.equal(201);
    expect((await create(minimal)).status).to.equal(201);
  });

  describe('names and categories (decisions: Bodies and errors)', () => {
    const kept: [string, string, string][] = [
      ['one character', 'x', 'x'],
      ['100 characters', 'x'.repeat(100), 'x'.repeat(100)],
      ['100 emoji, each of two UTF-16 units', '🎉'.repeat(100), '🎉'.repeat(100)],
      ['100 characters between spaces', `  ${'x'.repeat(100)}\t\n`, 'x'.repeat(100)],
      ['200 code points that are 100 in NFC', 'e\u0301'.repeat(100), 'é'.repeat(100)],
      ['decomposed letters, in NFC', 'Cafe\u0301', 'Caf\u00e9'],
      ['spaces inside', 'a  b', 'a  b'],
      ['right-to-left marks and Arabic', 'a\u200fb قائمة', 'a\u200fb قائمة'],
      ['an emoji of several code points', '👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦'],
      ['HTML and SQL', `<b>'; DROP TABLE users; --</b>`, `<b>'; DROP TABLE users; --</b>`],
      ['backslashes and quotes', String.raw`\u0000 "\"`, String.raw`\u0000 "\"`],
    ];
    for (const field of ['name', 'category']) {
      for (const [what, given, stored] of kept) {
        it(`stores a ${field} of ${what}`, async () => {
          const { status, body } = await create({ ...minimal, [field]: given });
          expect(status, JSON.stringify(body)).to.equal(201);
          expect(body[field]).to.equal(stored);
          expect((await api(`/qrcodes/${body.id}`)).body[field]).to.equal(stored);
        });
      }
    }

    it('accepts null for no category', async () => {
      expect((await create({ ...minimal, category: null })).body.category).to.equal(null);
    });
  });
});
