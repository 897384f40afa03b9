import { expect } from 'chai';
import { loadSecrets } from '../../src/accounts/secrets.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { type MailJob, mailQueue, packMail } from '../../src/queue/mail-queue.ts';
import { openQueueClient, type QueueClient } from '../../src/queue/queue-client.ts';
import { waitUntilReady } from '../../src/queue/queue-connection.ts';
import { eventually } from '../support/eventually.ts';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { testLog } from '../support/test-log.ts';

describe('The job of a mail', () => {
  let service: TestService;
  let mails: MailServer;
  let queue: QueueClient;
  /** Recipients that the server refuses, with how many replies of which code. */
  const refusals = new Map<string, { code: number; times: number }>();

  before(async () => {
    mails = await startMailServer({
      onRcptTo({ address }, _session, done) {
        const refusal = refusals.get(address);
        if (!refusal || refusal.times === 0) return done();
        refusal.times -= 1;
        done(Object.assign(new Error(`<${address}> refused`), { responseCode: refusal.code }));
      },
    });
    service = await startService({ worker: true, config: { mail: mails.config } });
    queue = openQueueClient({
      place: { databaseUrl: service.databaseUrl, redisUrl: undefined },
      log: testLog(),
    });
    await waitUntilReady(queue);
  });
  after(async () => {
    await queue.close();
    await service.stop();
    await mails.stop();
  });

  async function resetJob(email: string): Promise<MailJob> {
    await findOrCreateUser(service.db, email, new Date());
    const { sealMail } = await loadSecrets(service.db);
    return packMail({ kind: 'password-reset', email, language: 'de' }, sealMail);
  }
  const isIdle = () => eventually(async () => expect(await queue.pending(mailQueue)).to.equal(0));

  it('sends one mail when it is delivered twice, and has no address in it', async () => {
    const job = await resetJob('twice@example.com');
    expect(JSON.stringify(job)).not.to.contain('example.com');
    expect(mailQueue.visibleData(job)).to.deep.equal({ kind: 'password-reset' });
    await queue.add(mailQueue, job);
    const [mail] = await mails.mailsTo('twice@example.com');
    await isIdle();
    await queue.add(mailQueue, job);
    await isIdle();
    expect(await mails.mailsTo('twice@example.com')).to.have.length(1);
    expect(mail?.headers['subject']).to.equal('Neues Passwort wählen');
    expect(linkIn(mail!)).to.match(/^https:\/\/qr\.test\/signin\/link\/[\w-]{43}$/);
  });

  it('is tried again when the server does not accept the mail now', async () => {
    refusals.set('later@example.com', { code: 451, times: 1 });
    await queue.add(mailQueue, await resetJob('later@example.com'));
    await mails.mailsTo('later@example.com');
    await isIdle();
  });

  it('ends when the server will never accept the mail, and does not count as failed', async () => {
    refusals.set('never@example.com', { code: 550, times: 100 });
    await queue.add(mailQueue, await resetJob('never@example.com'));
    await eventually(() => expect(refusals.get('never@example.com')?.times).to.equal(99));
    await isIdle();
    const depth = (await queue.depths()).find((one) => one.queue === mailQueue.name);
    expect(depth?.jobs.failed).to.equal(0);
    expect(refusals.get('never@example.com')?.times).to.equal(99);
  });

  it('sends ten mails of a kind to a mailbox in an hour, whoever asked for them, and counts none that failed', async () => {
    refusals.set('bombed@example.com', { code: 451, times: 3 });
    for (let job = 0; job < 6; job += 1)
      for (const email of ['bombed@example.com', `bombed+${job}@example.com`])
        await queue.add(mailQueue, await resetJob(email));
    const bombs = () => mails.received.filter(({ to }) => to.join().startsWith('bombed'));
    await eventually(() => expect(bombs()).to.have.length(10), 30_000);
    await isIdle();
    expect(bombs()).to.have.length(10);
    await queue.add(mailQueue, await resetJob('unharmed@example.com'));
    await mails.mailsTo('unharmed@example.com');
  });

  it('sends nothing where there is no account', async () => {
    const { sealMail } = await loadSecrets(service.db);
    const request = { kind: 'password-reset', email: 'nobody@example.com', language: 'en' } as const;
    await queue.add(mailQueue, packMail(request, sealMail));
    await isIdle();
    expect(mails.received.flatMap(({ to }) => to)).not.to.include('nobody@example.com');
  });
});
