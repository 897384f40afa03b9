import { expect } from 'chai';
import { demoCodes } from '../../src/demo/demo-codes.ts';
import { type StoredDemoCode, makeDemoScans } from '../../src/demo/demo-scans.ts';
import { contentErrors } from '../../src/codes/content/content-errors.ts';
import { codeTypes, parseContent } from '../../src/codes/content/content-types.ts';
import { dayMs } from '../../src/runtime/units.ts';
import { scannedAtOf } from '../../src/scans/scan-id.ts';
import { apiClient } from '../support/api-client.ts';
import { runQrelayHere } from '../support/command-line.ts';
import { startService, type TestService } from '../support/service.ts';
import { signInStatus } from '../support/sign-in.ts';

const now = new Date('2026-11-15T12:00:00.000Z');

function share<Item>(items: Item[], holds: (item: Item) => boolean): number {
  return items.filter(holds).length / items.length;
}

describe('The scans of qrelay demo', () => {
  const codes: StoredDemoCode[] = demoCodes.map(({ ageDays, weight, weekend }, index) => ({
    id: `01890000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    createdAt: new Date(now.getTime() - ageDays * dayMs),
    weight,
    weekend,
  }));
  const scans = makeDemoScans(codes, { count: 20_000, seed: 1, now });

  it('are the same for the same seed, and differ for another', () => {
    const plain = (seed: number) =>
      makeDemoScans(codes, { count: 200, seed, now }).map(({ id: _id, ...rest }) => rest);
    expect(plain(7)).to.deep.equal(plain(7));
    expect(plain(7)).not.to.deep.equal(plain(8));
  });

  it('have their time in their ids, after their code was created and before now', () => {
    const madeAt = new Map(codes.map(({ id, createdAt }) => [id, createdAt]));
    expect(new Set(scans.map(({ id }) => id)).size).to.equal(scans.length);
    for (const { id, qrCodeId, scannedAt } of scans) {
      expect(scannedAtOf(id)).to.deep.equal(scannedAt);
      expect(scannedAt).to.be.within(madeAt.get(qrCodeId) as Date, now);
    }
  });

  it('grow over the year, are few at night, and come mostly from a few countries', () => {
    const half = now.getTime() - 182 * dayMs;
    expect(share(scans, ({ scannedAt }) => scannedAt.getTime() > half)).to.be.within(0.6, 0.85);
    expect(share(scans, ({ scannedAt }) => scannedAt.getUTCHours() < 4)).to.be.below(0.08);
    expect(share(scans, ({ country }) => country === 'DE')).to.be.within(0.4, 0.65);
    expect(share(scans, ({ device }) => device === 'mobile')).to.be.within(0.8, 0.95);
    expect(new Set(scans.map(({ country }) => country)).size).to.be.above(30);
    for (const { country, latitude, longitude } of scans) {
      expect(country).to.match(/^[A-Z]{2}$/);
      if (latitude !== null) expect(latitude).to.be.within(-90, 90);
      if (longitude !== null) expect(longitude).to.be.within(-180, 180);
    }
  });

  it('belong to codes of every type, each with content that is valid for its type', () => {
    expect(demoCodes.map(({ type }) => type).toSorted()).to.deep.equal([...codeTypes].toSorted());
    for (const { type, content } of demoCodes) {
      expect(contentErrors({ type, content, errorCorrection: 'M' }, 'https://qr.test')).to.deep.equal([]);
      if (type !== 'text') expect(parseContent(type, content).kind, type).not.to.equal('text');
    }
  });
});

describe('qrelay demo', function () {
  this.timeout(120_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const qrelay = (...args: string[]) => runQrelayHere(args, { DATABASE_URL: service.databaseUrl });
  const read = (stdout: string) =>
    Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')),
    ) as Record<string, string>;

  it('creates an account that can sign in, a key, a code of each type and their scans, with correct counters', async () => {
    const { code, stdout, stderr } = await qrelay('demo', '--scans', '500');
    expect(code, stderr).to.equal(0);
    const { email = '', password = '', key = '' } = read(stdout);
    expect(email).to.equal('demo@example.com');
    expect(await signInStatus(service.url, email, password)).to.equal(303);

    const { body } = await apiClient(service.url, key)('/qrcodes?limit=100');
    const { data } = body as { data: { type: string; scanCount: number; expiresAt: string }[] };
    expect(data.map(({ type }) => type).toSorted()).to.deep.equal([...codeTypes].toSorted());
    expect(data.reduce((sum, { scanCount }) => sum + scanCount, 0)).to.equal(500);
    for (const { expiresAt } of data) expect(new Date(expiresAt)).to.be.above(new Date());

    const verified = await qrelay('counters', 'verify');
    expect(verified).to.include({ code: 0, stdout: '' });
    expect(verified.stderr).to.contain('all counters are correct');
  });

  it('fails if the account exists, and recreates it with --reset', async () => {
    const email = 'again@example.com';
    const first = read((await qrelay('demo', '--scans', '10', '--email', email)).stdout);
    const refused = await qrelay('demo', '--scans', '10', '--email', email);
    expect(refused).to.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.match(/^again@example\.com already has an account\..*--reset\n$/);
    const recreated = await qrelay('demo', '--scans', '10', '--email', email, '--reset');
    expect(recreated.code, recreated.stderr).to.equal(0);
    const status = async (key = '') => (await apiClient(service.url, key)('/qrcodes')).status;
    expect(await status(first['key'])).to.equal(401);
    expect(await status(read(recreated.stdout)['key'])).to.equal(200);
  });

  it('never deletes an account that it has not created', async () => {
    const key = await service.makeKey({ email: 'real@example.com' });
    const refused = await qrelay('demo', '--scans', '10', '--email', 'real@example.com', '--reset');
    expect(refused).to.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.contain('is not a demo account');
    expect((await apiClient(service.url, key)('/qrcodes')).status).to.equal(200);
  });
});
