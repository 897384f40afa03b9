import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import {
  addExportChunk,
  failExport,
  findExport,
  finishExport,
  purgeExports,
  requestExport,
} from '../../../src/accounts/account-exports.ts';
import { takeLostExports } from '../../../src/accounts/export-turns.ts';
import { findOrCreateUser, findUserByEmail } from '../../../src/accounts/users.ts';
import { deleteUser } from '../../../src/accounts/deletion.ts';
import { saveBrand } from '../../../src/codes/brand.ts';
import { ownedFiles } from '../../../src/codes/files/stored-file.ts';
import { periodicQueue } from '../../../src/queue/periodic-queue.ts';
import { mailQueue } from '../../../src/queue/mail-queue.ts';
import { openQueueClient, type QueueClient } from '../../../src/queue/queue-client.ts';
import { TryLaterError } from '../../../src/queue/queue-worker.ts';
import { waitUntilReady } from '../../../src/queue/queue-connection.ts';
import { createExportHandler } from '../../../workers/export-handler.ts';
import { png } from '../../codes/files/logo-files.ts';
import { pdf } from '../../codes/files/pdf-file.ts';
import { apiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { fillScans } from '../../support/fill-scans.ts';
import { type FormClient, signedIn } from '../../support/form-client.ts';
import { linkIn, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { mainText } from '../../support/operator.ts';
import { onBothQueues } from '../../support/queue-engines.ts';
import { readZip } from '../../support/read-zip.ts';
import { startService, type TestService } from '../../support/service.ts';
import { quickImages } from '../../support/shared-threads.ts';
import { createCode } from '../../support/share.ts';
import { testLog } from '../../support/test-log.ts';
import { type WorkspaceId, ownWorkspaceId } from '../../../src/workspaces/workspace.ts';

const minute = 60_000;
const day = 86_400_000;
const linesOf = (file: Buffer | undefined) => file?.toString().replace('\uFEFF', '').trimEnd().split('\r\n');

onBothQueues('The export of an account', (redisUrl) => {
  let service: TestService;
  let mails: MailServer;
  let queue: QueueClient;
  before(async () => {
    mails = await startMailServer();
    service = await startService({
      ...quickImages,
      worker: true,
      redisUrl: redisUrl(),
      config: { mail: mails.config },
    });
    queue = openQueueClient({
      place: { databaseUrl: service.databaseUrl, redisUrl: redisUrl() },
      log: testLog(),
    });
    await waitUntilReady(queue);
  });
  afterEach(() => service.setNow(undefined));
  after(async () => {
    await queue.close();
    await service.stop();
    await mails.stop();
  });

  async function runHousekeeping(): Promise<void> {
    await queue.add({ ...periodicQueue, jobName: 'housekeeping' }, {});
    await eventually(async () => expect(await queue.pending(periodicQueue)).to.equal(0));
  }

  /** As another worker does that builds it: any job would build what waits. */
  async function lease(userId: string): Promise<void> {
    const until = new Date(Date.now() + day);
    await service.db('account_exports').where({ user_id: userId }).update({ leased_until: until });
  }

  /** The worker of the service does not get it first. */
  const requestLeased = (userId: string) =>
    service.db.transaction(async (transaction) => {
      const requestId = await requestExport(transaction, userId, new Date());
      const leased = { leased_until: new Date(Date.now() + day) };
      await transaction('account_exports').where({ user_id: userId }).update(leased);
      return requestId ?? '';
    });

  async function download(client: FormClient): Promise<Map<string, Buffer>> {
    return eventually(async () => {
      const answer = await client.get('/workspace/export.zip');
      expect(answer.status).to.equal(200);
      const archive = Buffer.from(await answer.arrayBuffer());
      expect(answer.headers.get('Content-Length')).to.equal(String(archive.length));
      return readZip(archive);
    });
  }

  async function ask(client: FormClient): Promise<string> {
    await client.get('/workspace');
    expect((await client.post('/workspace/export', {})).status).to.equal(303);
    return mainText(await client.get('/workspace'));
  }

  it('has the account, all codes and all scans, and nothing of others', async () => {
    const key = await service.makeKey({ email: 'ann@example.com' });
    const api = apiClient(service.url, key);
    const code = await createCode(api, { name: 'Menu, "new"', content: 'https://example.com/menu' });
    const filed = await createCode(api, { name: 'Unused' });
    const file = pdf({ bytes: 300_000 });
    await api(`/qrcodes/${filed.id}/file?name=Menu`, {
      method: 'PUT',
      raw: new Uint8Array(file),
      headers: { 'Content-Type': 'application/pdf' },
    });
    const logo = { method: 'PUT', raw: new Uint8Array(png()), headers: { 'Content-Type': 'image/png' } };
    const { logo: logoId } = (await api(`/qrcodes/${code.id}/page/logo?alt=Ours`, logo)).body as {
      logo: string;
    };
    await fillScans(service.db, code.id, 2_500, 30);
    const owner = await findOrCreateUser(service.db, 'ann@example.com', new Date());
    const brand = { foregroundColor: '#102060', backgroundColor: '#fffdf5', pageColor: null, logo: logoId };
    await saveBrand(service.db, ownWorkspaceId(owner), brand, new Date());
    const others = await createCode(apiClient(service.url, await service.makeKey()), { name: 'Secret' });
    await fillScans(service.db, others.id, 3, 1);
    const ann = await signedIn(service, 'ann@example.com');
    expect(await ask(ann)).to.contain('The export is being created');
    const archive = await download(ann);
    const uploaded = `files/${filed.id}/Menu.pdf`;
    expect([...archive.keys()]).to.deep.equal([
      'workspace.json',
      'codes.json',
      'codes.csv',
      'styles.json',
      'brand.json',
      `logos/${logoId}.png`,
      uploaded,
      'scans.csv',
    ]);
    expect(archive.get(uploaded)?.equals(file)).to.equal(true);
    expect(archive.get(`logos/${logoId}.png`)?.toString('latin1', 1, 4)).to.equal('PNG');
    const { updatedAt: _saved, ...exported } = JSON.parse(String(archive.get('brand.json'))) as object & {
      updatedAt: string;
    };
    expect(exported).to.deep.equal(brand);
    const described = JSON.parse(String(archive.get('workspace.json'))) as {
      workspace: object;
      members: object[];
      apiKeys: { prefix: string }[];
    };
    expect(described.workspace).to.include({ slug: 'ann', plan: 'pro' });
    expect(described.members[0]).to.include({ email: 'ann@example.com', role: 'owner' });
    expect(described.apiKeys.map(({ prefix }) => key.includes(prefix))).to.deep.equal([true]);
    const codes = JSON.parse(String(archive.get('codes.json'))) as object[];
    expect(codes).to.have.length(2);
    expect(codes[0]).to.deep.include({ pageLogo: { logo: logoId, alt: 'Ours' } });
    expect(codes[0]).to.include({
      id: code.id,
      content: 'https://example.com/menu',
      shareUrl: code.shareUrl,
    });
    expect(linesOf(archive.get('codes.csv'))?.[1]).to.contain(`${code.id},"Menu, ""new""",url,`);
    const scans = linesOf(archive.get('scans.csv')) ?? [];
    expect(new Set(scans.slice(1)).size).to.equal(2_500);
    const all = Buffer.concat([...archive.values()]).toString();
    expect(all)
      .not.to.contain('Secret')
      .and.not.to.contain(others.id)
      .and.not.to.match(/hash|sealed/i);
    expect(await mainText(await ann.get('/workspace'))).to.contain('Download the export');
  });

  it('has every file of an account with hundreds of them', async () => {
    const email = 'filed@example.com';
    const api = apiClient(service.url, await service.makeKey({ email }));
    const code = { name: 'Menu', content: 'https://example.com/menu' };
    const qrCodes = Array.from({ length: 201 }, () => code);
    expect((await api('/qrcodes/bulk', { method: 'POST', body: { qrCodes } })).status).to.equal(200);
    const owner = await findUserByEmail(service.db, email);
    await service.db.raw(
      `INSERT INTO code_files (code_id, id, user_id, kind, name, media_type, bytes, updated_at)
       SELECT id, gen_random_uuid(), user_id, 'file', 'Menu.pdf', 'application/pdf', 1, now()
       FROM qr_codes WHERE user_id = ?`,
      [owner?.id ?? ''],
    );
    const found = new Set<string>();
    for await (const { codeId } of ownedFiles(service.db, (owner?.id as WorkspaceId) ?? ''))
      found.add(codeId);
    expect(found.size).to.equal(201);
  });

  it('is for its owner only, and for seven days', async () => {
    const [owner, other] = [
      await signedIn(service, 'owner@example.com'),
      await signedIn(service, 'other@example.com'),
    ];
    await ask(owner);
    await download(owner);
    expect((await other.get('/workspace/export.zip')).status).to.equal(404);
    const stranger = await fetch(`${service.url}/workspace/export.zip`, {
      redirect: 'manual',
      headers: { Accept: 'text/html' },
    });
    expect(stranger.headers.get('Location')).to.equal('/signin?next=%2Fworkspace%2Fexport.zip');
    const { id } = await findUserByEmail(service.db, 'owner@example.com');
    const later = new Date(Date.now() + 7 * day);
    expect(await findExport(service.db, id, later)).to.equal(undefined);
    expect(await purgeExports(service.db, new Date(Date.now() + 6 * day))).to.equal(0);
    expect(await purgeExports(service.db, later)).to.be.at.least(1);
    expect(await service.db('account_export_chunks').where({ user_id: id })).to.deep.equal([]);
    expect((await owner.get('/workspace/export.zip')).status).to.equal(404);
  });

  it('is built once when its job is delivered twice, also after a worker was killed in the middle', async () => {
    const client = await signedIn(service, 'twice@example.com');
    const user = await findUserByEmail(service.db, 'twice@example.com');
    const requestId = (await requestExport(service.db, user.id, new Date())) ?? '';
    expect(await requestExport(service.db, user.id, new Date())).to.equal(undefined);
    const unfinished = { buildId: uuidv7(), position: 0, userId: user.id, data: Buffer.from('PK') };
    await addExportChunk(service.db, unfinished, new Date());
    const site = { baseUrl: 'https://qr.test' };
    const exportUpkeep = { tellOwners: async () => undefined };
    const closing = new AbortController().signal;
    const parts = { backgroundDb: service.db, site, exportUpkeep, closing, log: testLog() };
    const handle = createExportHandler(parts);
    // The second one comes again later: the first worker may be killed.
    const delivered = [1, 2].map(() => handle({ userId: user.id, requestId }));
    const [first, second] = (await Promise.allSettled(delivered)).toSorted((a, b) =>
      a.status < b.status ? -1 : 1,
    );
    expect(first?.status).to.equal('fulfilled');
    expect(second?.status === 'rejected' ? second.reason : new TryLaterError('')).to.be.instanceOf(
      TryLaterError,
    );
    await handle({ userId: user.id, requestId });
    await purgeExports(service.db, new Date());
    const builds = (await service
      .db('account_export_chunks')
      .where({ user_id: user.id })
      .distinct('build_id')) as object[];
    expect(builds).to.have.length(1);
    expect([...(await download(client)).keys()]).to.include('workspace.json');
    await deleteUser(service.db, user);
    await purgeExports(service.db, new Date());
    expect(await service.db('account_exports').where({ user_id: user.id })).to.deep.equal([]);
    expect(await service.db('account_export_chunks').where({ user_id: user.id })).to.deep.equal([]);
  });

  it('is told by mail when it is ready, once, to a confirmed address', async () => {
    const [told, unconfirmed] = [
      await signedIn(service, 'told@example.com'),
      await signedIn(service, 'unconfirmed@example.com'),
    ];
    const { id, email } = await findUserByEmail(service.db, 'told@example.com');
    await service.db('users').where({ id }).update({ confirmed_email: email });
    await ask(told);
    await ask(unconfirmed);
    await Promise.all([download(told), download(unconfirmed)]);
    const [mail] = await mails.mailsTo(email);
    expect(mail?.headers['subject']).to.equal('Your export is ready');
    expect(linkIn(mail!)).to.equal('https://qr.test/w/told/workspace#export');
    // As if the worker had died after it had queued the mail.
    await service.db('account_exports').where({ user_id: id }).update({ owner_told_at: null });
    await runHousekeeping();
    await eventually(async () => expect(await queue.pending(mailQueue)).to.equal(0));
    expect(mails.received.filter(({ to }) => /told|unconfirmed/.test(to.join()))).to.have.length(1);
  });

  it('is built although its job was lost', async () => {
    const client = await signedIn(service, 'lost@example.com');
    const { id } = await findUserByEmail(service.db, 'lost@example.com');
    // No job is added, as if the queue had lost it or all of its attempts had failed.
    await requestExport(service.db, id, new Date(Date.now() - 20 * minute));
    const page = async () => mainText(await client.get('/workspace'));
    expect(await page())
      .to.contain('The export is being created')
      .and.not.to.contain('You also get an email');
    await service.db('users').where({ id }).update({ confirmed_email: 'lost@example.com' });
    expect(await page()).to.contain('You also get an email when it is ready.');
    await runHousekeeping();
    expect([...(await download(client)).keys()]).to.include('workspace.json');
  });

  it('is not begun again while it is built, and has failed after a day', async () => {
    const client = await signedIn(service, 'failed@example.com');
    const { id } = await findUserByEmail(service.db, 'failed@example.com');
    const requestedAt = new Date();
    const after = (minutes: number) => new Date(requestedAt.getTime() + minutes * minute);
    const requestId = await requestExport(service.db, id, requestedAt);
    await lease(id);
    const lost = async (minutes: number) =>
      (await takeLostExports(service.db, after(minutes))).filter(({ userId }) => userId === id);
    expect(await lost(14)).to.deep.equal([]);
    const chunk = { buildId: uuidv7(), position: 0, userId: id, data: Buffer.from('PK') };
    await addExportChunk(service.db, chunk, after(14));
    expect(await lost(28)).to.deep.equal([]);
    expect(await lost(30)).to.deep.equal([{ userId: id, requestId }]);
    expect(await lost(40)).to.deep.equal([]);
    expect(await lost(46)).to.deep.equal([{ userId: id, requestId }]);
    expect(await lost(24 * 60)).to.deep.equal([]);
    expect(await mainText(await client.get('/workspace'))).to.contain('The export could not be created.');
    expect(await ask(client)).to.contain('The export is being created');
    await download(client);
  });

  it('is whole although the build of an earlier request ends while it is built', async () => {
    await signedIn(service, 'overtaken@example.com');
    const { id: userId } = await findUserByEmail(service.db, 'overtaken@example.com');
    const earlier = (await requestExport(service.db, userId, new Date(Date.now() - 2 * day))) ?? '';
    const requestId = (await requestExport(service.db, userId, new Date())) ?? '';
    await lease(userId);
    const [old, build] = [uuidv7(), uuidv7()];
    const add = (buildId: string, position: number) =>
      addExportChunk(service.db, { buildId, position, userId, data: Buffer.from('PK') }, new Date());
    await add(build, 0);
    await add(old, 0);
    await finishExport(service.db, { userId, requestId: earlier, buildId: old, bytes: 2 });
    await add(build, 1);
    await purgeExports(service.db, new Date());
    await finishExport(service.db, { userId, requestId, buildId: build, bytes: 4 });
    await purgeExports(service.db, new Date());
    const rows = await service.db('account_export_chunks').where({ user_id: userId }).orderBy('position');
    expect(
      rows.map(({ build_id, position }: { build_id: string; position: number }) => [build_id, position]),
    ).to.deep.equal([
      [build, 0],
      [build, 1],
    ]);
  });

  it('is replaced, fails and is deleted with its account without deleting its chunks, which are purged in steps', async () => {
    const chunks = (userId: string) =>
      service.db('account_export_chunks').where({ user_id: userId }) as Promise<object[]>;
    // Any statement that deletes more fails, as it would with 2 GiB.
    await service.db.raw(`
      CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM deleted) > 64 THEN RAISE EXCEPTION 'too many at once'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER refuse_many AFTER DELETE ON account_export_chunks
        REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`);
    try {
      for (const end of ['replaced', 'failed', 'deleted'] as const) {
        const user = await findOrCreateUser(service.db, `large-${end}@example.com`, new Date());
        const userId = user.id;
        const requestId = await requestLeased(userId);
        const buildId = uuidv7();
        for (let position = 0; position < 130; position += 1)
          await addExportChunk(
            service.db,
            { buildId, position, userId, data: Buffer.from('PK') },
            new Date(),
          );
        await purgeExports(service.db, new Date());
        expect(await chunks(userId)).to.have.length(130);
        if (end === 'failed') await failExport(service.db, { userId, requestId }, new Date());
        else await finishExport(service.db, { userId, requestId, buildId, bytes: 260 });
        if (end === 'replaced') {
          expect(await requestLeased(userId)).to.not.equal('');
          await failExport(
            service.db,
            { userId, requestId: (await findExport(service.db, userId, new Date()))?.requestId ?? '' },
            new Date(),
          );
        }
        if (end === 'deleted') await deleteUser(service.db, user);
        expect(await chunks(userId)).to.have.length(130);
        await purgeExports(service.db, new Date());
        expect(await chunks(userId), end).to.deep.equal([]);
      }
    } finally {
      await service.db.raw('DROP TRIGGER refuse_many ON account_export_chunks; DROP FUNCTION refuse_many()');
    }
  });

  it('can be asked for three times an hour', async () => {
    const client = await signedIn(service, 'often@example.com');
    for (let time = 0; time < 3; time += 1) {
      expect(await ask(client)).to.contain('The export is being created');
      await download(client);
    }
    expect(await ask(client)).to.contain('Too many exports');
  });
});
