import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openSavedTargets, packTarget, type Target, targetVersion } from '../../src/redirect/target.ts';
import { createTargets, TooManyLookupsError } from '../../src/redirect/targets.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createWebMetrics } from '../../src/telemetry/web-metrics.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { startService, type TestService } from '../support/service.ts';
import { createCode, openShare } from '../support/share.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const baseUrl = 'https://qr.test';
const unknownToken = (number: number) => `none${String(number).padStart(6, '0')}`;

describe('Looking up a share token', () => {
  let service: TestService;
  let api: ApiClient;
  let queries = 0;

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey());
    service.db.on('query', () => {
      queries += 1;
    });
  });
  beforeEach(() => {
    queries = 0;
  });
  after(() => service.stop());

  const newTargets = () => createTargets(service.db, baseUrl);

  it('costs the database no more for 500 simultaneous requests than for one', async () => {
    const { id, shareToken } = await createCode(api);
    queries = 0;
    await newTargets().find(shareToken);
    const forOne = queries;
    queries = 0;
    const targets = newTargets();
    const found = await Promise.all(Array.from({ length: 500 }, async () => targets.find(shareToken)));
    expect(found.every((target) => target?.codeId === id)).to.equal(true);
    expect(queries).to.equal(forOne);
  });

  it('is synchronous and costs the database nothing when the token is cached', async () => {
    const { id, shareToken } = await createCode(api);
    const targets = newTargets();
    await targets.find(shareToken);
    queries = 0;
    expect(targets.find(shareToken)).to.include({ codeId: id });
    expect(queries).to.equal(0);
  });

  it('does not cache what it has read before a change, when the change is known before the result', async () => {
    const { id, shareToken } = await createCode(api);
    const targets = newTargets();
    service.db.once('query-response', () => targets.forget(shareToken));
    expect(await targets.find(shareToken)).to.include({ name: 'Test' });
    await service.db('qr_codes').where({ id }).update({ name: 'Renamed' });
    expect(await targets.find(shareToken)).to.include({ name: 'Renamed' });
    // The same for a code that did not exist yet.
    const token = 'made000001';
    service.db.once('query-response', () => targets.forget(token));
    expect(await targets.find(token)).to.equal(null);
    await service.db('qr_codes').where({ id }).update({ share_token: token });
    expect(await targets.find(token)).to.include({ codeId: id });
    // Nor what was cached before.
    const another = 'made000002';
    await targets.find(another);
    await service.db('qr_codes').where({ id }).update({ share_token: another });
    targets.forget(another);
    expect(await targets.find(another)).to.include({ codeId: id });
  });

  it('is not shared with requests after a change: they look it up again, and others share that', async () => {
    const { id, shareToken } = await createCode(api);
    const targets = newTargets();
    const later: Promise<Target | null>[] = [];
    service.db.once('query-response', () => {
      targets.forget(shareToken);
      later.push(Promise.resolve(targets.find(shareToken)));
    });
    queries = 0;
    await targets.find(shareToken);
    later.push(Promise.resolve(targets.find(shareToken)));
    expect((await Promise.all(later)).map((target) => target?.codeId)).to.deep.equal([id, id]);
    expect(queries).to.equal(2);
    expect(targets.find(shareToken)).to.include({ codeId: id });
  });

  it('is repeated beside a request after 5 s, and before its answer after 9 s', async () => {
    const { id, shareToken } = await createCode(api);
    let now = 0;
    const targets = createTargets(service.db, baseUrl, { elapsedMs: () => now });
    const rename = (name: string) => service.db('qr_codes').where({ id }).update({ name });
    await targets.find(shareToken);
    await rename('Second');
    now += 4_999;
    queries = 0;
    expect(targets.find(shareToken)).to.include({ name: 'Test' });
    expect(queries).to.equal(0);
    now += 1;
    expect(targets.find(shareToken)).to.include({ name: 'Test' });
    await eventually(() => expect(targets.find(shareToken)).to.include({ name: 'Second' }));
    await rename('Third');
    now += 9_000;
    const found = targets.find(shareToken);
    expect(found).to.be.a('promise');
    expect(await found).to.include({ name: 'Third' });
    // A deleted code is gone by then, too.
    await service.db('qr_codes').where({ id }).delete();
    now += 9_000;
    expect(await targets.find(shareToken)).to.equal(null);
  });

  it('of an unknown token is repeated after 2 s', async () => {
    const { id } = await createCode(api);
    let now = 0;
    const targets = createTargets(service.db, baseUrl, { elapsedMs: () => now });
    const token = 'made000003';
    await targets.find(token);
    await service.db('qr_codes').where({ id }).update({ share_token: token });
    now += 1_999;
    expect(targets.find(token)).to.equal(null);
    now += 1;
    expect(await targets.find(token)).to.include({ codeId: id });
    expect(targets.find(token)).to.include({ codeId: id });
  });

  it('is refused while 500 others are under way, and not afterwards', async () => {
    // Answers nothing, so that none of them uses a connection.
    const away = openDatabase(service.databaseUrl, { poolMax: 1, applicationName: 'test' });
    await away.destroy();
    const targets = createTargets(away, baseUrl);
    const outcome = (number: number) =>
      Promise.resolve(targets.find(unknownToken(number))).then(
        () => 'found',
        (error: Error) => error.message,
      );
    const underWay = Array.from({ length: 500 }, (_, number) => outcome(number));
    const refusal = 'Too many share links are looked up';
    expect(await outcome(500)).to.equal(refusal);
    expect(await Promise.all(underWay)).to.not.include(refusal);
    expect(await outcome(501)).to.not.equal(refusal);
    await targets.close();
  });

  it('caches that a token is unknown', async () => {
    const targets = newTargets();
    expect(await targets.find('0000000000')).to.equal(null);
    queries = 0;
    expect(targets.find('0000000000')).to.equal(null);
    expect(queries).to.equal(0);
  });

  it('never evicts a real code for unknown ones, however many there are', async () => {
    const { id, shareToken } = await createCode(api);
    const targets = createTargets(service.db, baseUrl, { sizes: { known: 2, unknown: 2 } });
    await targets.find(shareToken);
    for (let number = 0; number < 20; number += 1) await targets.find(unknownToken(number));
    queries = 0;
    expect(targets.find(shareToken)).to.include({ codeId: id });
    expect(queries).to.equal(0);
  });

  it('is limited for a client that asks for many unknown ones, and costs a client nothing for real ones', async () => {
    const { id, shareToken } = await createCode(api);
    const { id: otherId, shareToken: otherToken } = await createCode(api);
    let now = 0;
    const targets = createTargets(service.db, baseUrl, {
      elapsedMs: () => now,
      clientOf: ({ url = '' }) => url,
    });
    const [guesser, office] = ['guesser', 'office'].map((url) => ({ url }) as IncomingMessage);
    for (let scan = 0; scan < 400; scan += 1) {
      expect(await targets.find(shareToken, office)).to.include({ codeId: id });
      targets.forget(shareToken);
    }
    await targets.find(shareToken, office);
    let refused = 0;
    for (let number = 0; refused === 0; number += 1) {
      expect(number).to.be.below(400);
      await Promise.resolve(targets.find(unknownToken(number), guesser)).catch((error: unknown) => {
        expect(error).to.be.instanceOf(TooManyLookupsError);
        refused = number;
      });
    }
    expect(refused).to.be.at.least(300);
    queries = 0;
    const again = async () => targets.find(unknownToken(refused + 1), guesser);
    const error = await again().catch((err: unknown) => err);
    expect(error).to.include({ name: 'TooManyLookupsError', retryAfterSeconds: 1 });
    expect(queries).to.equal(0);
    // Cached ones are served to everybody, and others are not limited.
    expect(targets.find(shareToken, guesser)).to.include({ codeId: id });
    expect(await targets.find(otherToken, office)).to.include({ codeId: otherId });
    now += 1_000;
    expect(await again()).to.equal(null);
  });
});

describe('A client that guesses share tokens', () => {
  it('gets 429 and a page, and others get their redirects', async () => {
    const metrics = createWebMetrics();
    const service = await startService({ metrics, config: { trustProxyHops: 1 } });
    const { shareToken } = await createCode(apiClient(service.url, await service.makeKey()));
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
    let answer = new Response();
    for (let number = 0; answer.status !== 429 && number < 2_000; number += 1)
      answer = await openShare(service.url, unknownToken(number), from('192.0.2.7'));
    expect(answer.status).to.equal(429);
    expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 5);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(metrics.shareAnswers.limited).to.equal(1);
    expect((await openShare(service.url, shareToken, from('192.0.2.8'))).status).to.equal(302);
    expect((await openShare(service.url, shareToken, from('192.0.2.7'))).status).to.equal(302);
    await service.stop();
  });
});

describe('Share tokens while the database does not answer', () => {
  let service: TestService;
  let api: ApiClient;
  let proxy: TcpProxy;
  let db: Database;
  let folder: string;
  let passedMs = 0;
  const elapsedMs = () => performance.now() + passedMs;

  before(async () => {
    service = await startService();
    api = apiClient(service.url, await service.makeKey());
  });
  after(() => service.stop());
  beforeEach(async () => {
    const url = new URL(service.databaseUrl);
    proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    db = openDatabase(url.href, { poolMax: 2, applicationName: 'test', queryTimeoutMs: 1_000 });
    folder = await mkdtemp(join(tmpdir(), 'qrelay-targets-'));
  });
  afterEach(async () => {
    await db.destroy();
    await proxy.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const cut = () => {
    proxy.forwardTo(undefined);
    proxy.blackHole();
  };
  const restore = () => proxy.forwardTo(Number(new URL(service.databaseUrl).port));
  const openSaved = (options: { checkEveryMs?: number } = {}) =>
    openSavedTargets({
      folder,
      baseUrl,
      onError: (error) => {
        throw error;
      },
      ...options,
    });
  const plain = (target: unknown) => JSON.parse(JSON.stringify(target)) as unknown;

  it('are served from memory without waiting, and are current again when it answers', async () => {
    const { id, shareToken } = await createCode(api);
    const targets = createTargets(db, baseUrl, { elapsedMs });
    await targets.find(shareToken);
    cut();
    passedMs += 24 * 3_600_000;
    // The first one notices.
    expect(await targets.find(shareToken)).to.include({ codeId: id });
    for (let request = 0; request < 100; request += 1) {
      passedMs += 1_000;
      expect(targets.find(shareToken)).to.include({ codeId: id });
    }
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'Renamed' } });
    restore();
    await eventually(async () => {
      passedMs += 10_000;
      expect(await targets.find(shareToken)).to.include({ name: 'Renamed' });
    });
    await targets.close();
  });

  it('are served from the disk by a process that has just started, content of every type', async () => {
    const codes = await Promise.all(
      [
        { content: 'https://example.com/' },
        { type: 'text', content: 'Hello\n“world”' },
        { type: 'wifi', content: 'WIFI:T:WPA;S:Guests;P:secret pass;;' },
        { type: 'vcard', content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nTEL:+15551234\nEND:VCARD' },
        { type: 'geo', content: 'geo:52.5,13.4' },
        { content: 'https://example.com/', expiresAt: '2040-01-01T00:00:00Z', isPublic: false },
      ].map((fields) => createCode(api, fields)),
    );
    const before = createTargets(db, baseUrl, { saved: openSaved() });
    const found: (Target | null)[] = [];
    for (const { shareToken } of codes) found.push(await before.find(shareToken));
    await before.close();
    cut();
    const targets = createTargets(db, baseUrl, { saved: openSaved() });
    for (const [index, { shareToken }] of codes.entries())
      expect(plain(await targets.find(shareToken))).to.deep.equal(plain(found[index]));
    const error = await Promise.resolve(targets.find('0000000000')).catch((err: unknown) => err);
    expect(error).to.be.instanceOf(Error);
    await targets.close();
  });

  it('are read again when it answers, however short a time ago they were read from the disk', async () => {
    const [{ id, shareToken }, other] = [await createCode(api), await createCode(api)];
    const before = createTargets(db, baseUrl, { saved: openSaved() });
    await before.find(shareToken);
    await before.close();
    await api(`/qrcodes/${id}`, { method: 'PATCH', body: { name: 'Renamed' } });
    cut();
    // No time passes.
    const targets = createTargets(db, baseUrl, { elapsedMs: () => 0, saved: openSaved() });
    expect(await targets.find(shareToken)).to.include({ name: 'Test' });
    restore();
    await eventually(async () =>
      expect(await targets.find(other.shareToken)).to.include({ codeId: other.id }),
    );
    await eventually(async () => expect(await targets.find(shareToken)).to.include({ name: 'Renamed' }));
    await targets.close();
  });

  it('are not served from a file that is damaged, cut off or of another version', async () => {
    const { shareToken } = await createCode(api);
    const before = createTargets(db, baseUrl, { saved: openSaved() });
    await before.find(shareToken);
    await before.close();
    const [path = ''] = await filesIn(folder);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    const saved = openSaved();
    expect(await saved.read(shareToken)).to.include({ name: 'Test' });
    const file = await readFile(path, 'utf8');
    for (const wrong of [
      file.replace('example.com', 'evil.example'),
      file.slice(0, -1),
      file.replace(`qrelay ${targetVersion} `, `qrelay ${targetVersion + 1} `),
      '',
    ]) {
      await writeFile(path, wrong);
      expect(await saved.read(shareToken)).to.equal(undefined);
    }
  });

  it('are not on the disk any more once the code is found to be deleted, asked for or not', async () => {
    const [asked, other] = [await createCode(api), await createCode(api)];
    const before = createTargets(db, baseUrl, { saved: openSaved() });
    for (const { shareToken } of [asked, other]) await before.find(shareToken);
    await before.close();
    for (const { id } of [asked, other]) await api(`/qrcodes/${id}`, { method: 'DELETE' });
    const targets = createTargets(db, baseUrl, { saved: openSaved() });
    expect(await targets.find(asked.shareToken)).to.equal(null);
    await eventually(async () => expect(await filesIn(folder)).to.have.length(1));
    await targets.close();
    const checking = createTargets(db, baseUrl, { saved: openSaved({ checkEveryMs: 1 }) });
    await eventually(async () => expect(await filesIn(folder)).to.deep.equal([]));
    await checking.close();
  });

  it('are stored in a form that has another version when it changes', async () => {
    const { shareToken } = await createCode(api);
    const target = (await createTargets(db, baseUrl).find(shareToken)) as Target;
    expect({ version: targetVersion, fields: Object.keys(packTarget(target)).toSorted() }).to.deep.equal({
      version: 1,
      fields: [
        'afterExpiryHref',
        'codeId',
        'expiresAtMs',
        'isBlocked',
        'isPublic',
        'look',
        'name',
        'pageLogo',
        'photo',
        'picture',
        'type',
      ],
    });
  });
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
