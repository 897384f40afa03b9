import { expect } from 'chai';
import { addBlock } from '../../../src/codes/blocks.ts';
import { QrCode } from '../../../src/codes/qr-code.ts';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { type ApiClient, apiClient } from '../../support/api-client.ts';
import { expectError, expectInvalid } from '../../support/expect-error.ts';
import { startService, type TestService } from '../../support/service.ts';

const row = (number: number) => ({ name: `Table ${number}`, content: `https://example.com/${number}` });
const rows = (count: number) => [...Array(count).keys()].map(row);

describe('POST /api/v1/qrcodes/bulk', () => {
  let service: TestService;
  let api: ApiClient;
  let codes: () => Promise<QrCode[]>;
  const emails = { count: 0 };

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    const email = `bulk-${(emails.count += 1)}@example.com`;
    api = apiClient(service.url, await service.makeKey({ email }));
    const { id } = await findOrCreateUser(service.db, email, new Date());
    codes = async () => QrCode.query(service.db).where({ user_id: id }).orderBy('id');
  });

  const bulk = (body: unknown, headers: Record<string, string> = {}) =>
    api('/qrcodes/bulk', { method: 'POST', body, headers });
  /** The fields of all errors in the response of mode `each`. */
  const fieldsOf = (body: { data: { errors?: { field: string }[] }[] }) =>
    body.data.flatMap(({ errors = [] }) => errors.map(({ field }) => field));

  it('creates 500 codes in order, as one request, each like POST /qrcodes', async () => {
    const { status, body, headers } = await bulk({ qrCodes: rows(500) });
    expect([status, body.created, body.failed]).to.deep.equal([200, 500, 0]);
    expect(headers.get('X-RateLimit-Remaining')).to.equal('99');
    const expected = rows(500).map(({ name }) => name);
    expect(body.data.map(({ qrCode }: { qrCode: QrCode }) => qrCode.name)).to.deep.equal(expected);
    expect((await codes()).map(({ name }) => name)).to.deep.equal(expected);
    const single = await api('/qrcodes', { method: 'POST', body: row(0) });
    expect(body.data[0].qrCode).to.have.all.keys(...Object.keys(single.body));
    const { id, shareToken, hostsKey } = (await codes())[7] as QrCode;
    expect(hostsKey).to.be.a('string');
    expect((await api(`/qrcodes/${id}`)).body.name).to.equal('Table 7');
    const shared = await fetch(`${service.url}/r/${shareToken}`, { redirect: 'manual' });
    expect(shared.headers.get('Location')).to.equal('https://example.com/7');
  });

  it('creates none if one is invalid, and names every invalid field with its row', async () => {
    const invalidRows = [
      row(0),
      { ...row(1), size: 1 },
      { name: '', content: 'x', isFavorite: true },
      'text',
    ];
    expectInvalid(await bulk({ qrCodes: invalidRows }), [
      'qrCodes[1].size',
      'qrCodes[2].name',
      'qrCodes[2].isFavorite',
      'qrCodes[2].content',
      'qrCodes[3]',
    ]);
    expect(await codes()).to.have.length(0);
  });

  it('in mode each, creates the valid ones and gives each invalid one its errors', async () => {
    const sent = [row(0), { ...row(1), size: 1 }, row(2), null];
    const { status, body } = await bulk({ mode: 'each', qrCodes: sent });
    expect([status, body.created, body.failed]).to.deep.equal([200, 2, 2]);
    expect(body.data.map(({ index }: { index: number }) => index)).to.deep.equal([0, 1, 2, 3]);
    expect(body.data[0].qrCode.name).to.equal('Table 0');
    expect(body.data[1]).to.deep.equal({
      index: 1,
      errors: [{ field: 'qrCodes[1].size', message: 'must be at least 128' }],
    });
    expect(body.data[2].qrCode.name).to.equal('Table 2');
    expect(fieldsOf(body)).to.deep.equal(['qrCodes[1].size', 'qrCodes[3]']);
    expect((await codes()).map(({ name }) => name)).to.deep.equal(['Table 0', 'Table 2']);
  });

  it('in mode each with only invalid rows, creates nothing', async () => {
    const { status, body } = await bulk({ mode: 'each', qrCodes: [{}] });
    expect([status, body.created, body.failed]).to.deep.equal([200, 0, 1]);
    expect(fieldsOf(body)).to.have.members(['qrCodes[0].name', 'qrCodes[0].content']);
  });

  it('applies defaults, labels, expiry and warnings to each row', async () => {
    const expiresAt = '2099-01-01T00:00:00.000Z';
    const pale = { ...row(0), name: '  Pale ', foregroundColor: '#eeeeee', expiresAt, isPublic: false };
    const { body } = await bulk({ qrCodes: [pale, row(1)] });
    expect(body.data[0].qrCode).to.include({ name: 'Pale', expiresAt, size: 512, category: null });
    expect(body.data[0].warnings[0]).to.include('contrast');
    expect(body.data[1].warnings).to.deep.equal([]);
    expect((await codes()).map(({ isPublic }) => isPublic)).to.deep.equal([false, true]);
    expectInvalid(await bulk({ qrCodes: [{ ...row(0), expiresAt: '2001-01-01T00:00:00Z' }] }), [
      'qrCodes[0].expiresAt',
    ]);
  });

  it('rejects links to blocked hosts and to itself, row by row', async () => {
    await addBlock(service.db, { kind: 'host', value: 'bad.test', reason: null, createdAt: new Date() });
    const { body } = await bulk({
      mode: 'each',
      qrCodes: [
        row(0),
        { name: 'Bad', content: 'https://www.bad.test/x' },
        { name: 'Loop', content: 'https://qr.test/r/aaaaaaaaaa' },
      ],
    });
    expect(fieldsOf(body)).to.deep.equal(['qrCodes[1].content', 'qrCodes[2].content']);
    expect(body.data[1].errors[0].message).to.include('blocked host: bad.test');
  });

  it('rejects no code, 501 codes, an unknown mode and unknown fields', async () => {
    expectInvalid(await bulk({ qrCodes: [] }), ['qrCodes']);
    const tooMany = await bulk({ qrCodes: rows(501) });
    expectInvalid(tooMany, ['qrCodes']);
    expect(tooMany.body.details[0].message).to.equal('must have at most 500 entries');
    expectInvalid(await bulk({ qrCodes: {}, mode: 'some', size: 1 }), ['qrCodes', 'mode', 'size']);
    expectInvalid(await bulk({}), ['qrCodes']);
    expectInvalid(await bulk(rows(2)), ['body']);
  });

  it('accepts a body of 1 MiB and no more', async () => {
    const text = JSON.stringify({ qrCodes: rows(2) });
    const padded = (length: number) => text + ' '.repeat(length - text.length);
    const send = (raw: string) => api('/qrcodes/bulk', { method: 'POST', raw });
    expect((await send(padded(1024 * 1024))).status).to.equal(200);
    const refused = await send(padded(1024 * 1024 + 1));
    expectError(refused, 413, 'validation_error');
    expect(refused.body.message).to.include('1048576 bytes');
  });

  it('bounds its error responses', async () => {
    const unknown = Object.fromEntries([...Array(200).keys()].map((n) => [`${'f'.repeat(60)}${n}`, 1]));
    const sent = Array(60).fill(unknown);
    const all = await bulk({ qrCodes: sent });
    expect(all.status).to.equal(400);
    expect(all.body.details).to.have.length(101);
    expect(all.body.details.at(-1)).to.deep.equal({ field: 'qrCodes', message: 'have 380 more errors' });
    const { body } = await bulk({ mode: 'each', qrCodes: sent });
    // name, content, five unknown fields, and the number of the others
    expect(body.data[0].errors).to.have.length(8);
  });

  it('is processed once with an Idempotency-Key', async () => {
    const send = () => bulk({ qrCodes: rows(3) }, { 'Idempotency-Key': 'import 1' });
    const [first, second] = await Promise.all([send(), send()]);
    expect(second.body).to.deep.equal(first.body);
    expect(await codes()).to.have.length(3);
  });

  it('creates none if the database refuses a later row', async () => {
    await service.db.raw(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON qr_codes FOR EACH ROW WHEN (NEW.name = 'Table 450') EXECUTE FUNCTION refuse()`);
    expectError(await bulk({ mode: 'each', qrCodes: rows(500) }), 500, 'internal_error');
    await service.db.raw('DROP TRIGGER refuse ON qr_codes; DROP FUNCTION refuse()');
    expect(await codes()).to.have.length(0);
  });

  it('lets other requests through while it checks the most expensive rows', async () => {
    const links = [...Array(90).keys()].map((n) => `https://h${n}.example/x`).join('\n');
    const expensive = [...Array(450).keys()].map((n) => ({ name: `${n}`, type: 'social', content: links }));
    let isDone = false;
    const created = bulk({ qrCodes: expensive }).finally(() => {
      isDone = true;
    });
    let answered = 0;
    while (!isDone) {
      await fetch(`${service.url}/healthz`);
      answered += 1;
    }
    expect((await created).body.created).to.equal(450);
    expect(answered).to.be.above(20);
  });
});
