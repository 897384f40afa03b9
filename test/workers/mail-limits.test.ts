import { expect } from 'chai';
import { ourBrand } from '../../src/brand.ts';
import { wasMailSent } from '../../src/accounts/sent-mails.ts';
import { findLinkedUser } from '../../src/accounts/account-links.ts';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { createMailer } from '../../src/mail/mailer.ts';
import { type MailJob, type MailRequest, packMail } from '../../src/queue/mail-queue.ts';
import { TryLaterError } from '../../src/queue/queue-worker.ts';
import { createMailHandler } from '../../workers/mail-handler.ts';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import { startService, type TestService } from '../support/service.ts';
import { testLog } from '../support/test-log.ts';

describe('The number of mails', () => {
  let service: TestService;
  let mails: MailServer;
  let handle: (job: MailJob) => Promise<void>;
  /** The server takes mails to them, and closes the connection instead of saying so. */
  const hangUpOn = new Set<string>();

  before(async () => {
    mails = await startMailServer({ onTaken: ({ to }) => !to.some((address) => hangUpOn.has(address)) });
    service = await startService();
    handle = createMailHandler({
      db: service.db,
      log: testLog(),
      mailer: createMailer(mails.config),
      openMail: (sealed) => sealed,
      hashEmail: (email) => `hash of ${email}`,
      signUpToken: ({ email }) => `token of ${email}`,
      site: { baseUrl: 'https://qr.test', supportContact: undefined, brand: ourBrand },
    });
  });
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  const jobOf = (request: MailRequest) => packMail(request, (text) => text);
  const askFor = (email: string) => handle(jobOf({ kind: 'password-reset', email, language: 'en' }));
  const sentTo = (email: string) => mails.received.filter(({ to }) => to.includes(email));
  const lastTokenTo = (email: string) => linkIn(sentTo(email).at(-1)!).split('/').at(-1) ?? '';
  async function newUser(email: string, { isConfirmed }: { isConfirmed: boolean }): Promise<string> {
    const { id } = await findOrCreateUser(service.db, email, new Date());
    if (isConfirmed) await service.db('users').where({ id }).update({ confirmed_email: email });
    return id;
  }

  it('to a confirmed address is not used up by accounts with variants of it', async () => {
    await newUser('victim@example.com', { isConfirmed: true });
    for (const variant of ['victim+1@example.com', 'victim+2@example.com']) {
      await newUser(variant, { isConfirmed: false });
      for (let time = 0; time < 8; time += 1) await askFor(variant);
    }
    expect(mails.received).to.have.length(10);
    await askFor('victim@example.com');
    expect(sentTo('victim@example.com')).to.have.length(1);
  });

  it('is none to the domain that cannot exist, which the demo account has', async () => {
    await newUser('demo@demo.invalid', { isConfirmed: false });
    await askFor('demo@demo.invalid');
    expect(sentTo('demo@demo.invalid')).to.deep.equal([]);
  });

  it('is checked before a link is made: the link of the last mail works when the next one is not sent', async () => {
    const email = 'patient@example.com';
    await newUser(email, { isConfirmed: true });
    for (let time = 0; time < 12; time += 1) await askFor(email);
    expect(sentTo(email)).to.have.length(10);
    expect((await findLinkedUser(service.db, lastTokenTo(email), new Date()))?.user).to.include({ email });
  });

  it('delays mails that nobody can ask for again, and loses none', async () => {
    const userId = await newUser('changing@example.com', { isConfirmed: true });
    const change = () => handle(jobOf({ kind: 'password-changed', userId }));
    for (let time = 0; time < 10; time += 1) await change();
    const error = await change().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TryLaterError);
    await service.db('request_windows').delete();
    await change();
    expect(sentTo('changing@example.com')).to.have.length(11);
  });

  it('is three for one whose acknowledgement is lost each time', async () => {
    const email = 'silent@example.com';
    const userId = await newUser(email, { isConfirmed: true });
    hangUpOn.add(email);
    let job = jobOf({ kind: 'password-changed', userId });
    for (let time = 1; time <= 2; time += 1) {
      const error = await handle(job).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(TryLaterError);
      job = (error as TryLaterError).remaining as MailJob;
      expect(job.unanswered).to.equal(time);
    }
    await handle(job);
    await handle(job);
    expect(sentTo(email)).to.have.length(3);
    expect(await wasMailSent(service.db, job.id)).to.equal(true);
  });
});
