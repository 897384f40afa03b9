import { expect } from 'chai';
import { hashPassword } from '../../../src/accounts/password-hash.ts';
import { createSignInLink } from '../../../src/accounts/account-links.ts';
import { totpCode } from '../../../src/accounts/second-factors.ts';
import { createUser, findUserByEmail, hasConfirmedEmail } from '../../../src/accounts/users.ts';
import type { Language } from '../../../src/http/preferred-language.ts';
import { type FormClient, formClient } from '../../support/form-client.ts';
import { linkIn, type MailServer, type ReceivedMail, startMailServer } from '../../support/mail-server.ts';
import { mainText } from '../../support/operator.ts';
import { startService, type TestService } from '../../support/service.ts';
import { lowestCost } from '../../support/shared-threads.ts';

const password = 'a long and rare password';

describe('The email of an account', () => {
  let mails: MailServer;
  let service: TestService;
  before(async () => {
    mails = await startMailServer();
    service = await startService({ worker: true, config: { mail: mails.config } });
  });
  afterEach(() => service.setNow(undefined));
  after(async () => {
    await service.stop();
    await mails.stop();
  });

  /** As those that were made before mails were sent, and by earlier releases: nobody has confirmed its address. */
  async function openAccount(
    email: string,
    { language = 'en', asks = true }: { language?: Language; asks?: boolean } = {},
  ): Promise<FormClient> {
    const passwordHash = hashPassword(password, lowestCost);
    await createUser(service.db, { email, passwordHash, language }, new Date());
    const client = formClient(service.url);
    await client.get('/signin');
    expect((await client.post('/signin', { email, password })).status).to.equal(303);
    if (!asks) return client;
    await client.get('/account');
    expect((await client.post('/account/confirm', {})).status).to.equal(303);
    return client;
  }
  const pathIn = (mail: ReceivedMail | undefined) => new URL(linkIn(mail!)).pathname;
  const isConfirmed = async (email: string) => hasConfirmedEmail(await findUserByEmail(service.db, email));

  async function confirm(path: string): Promise<number> {
    const client = formClient(service.url);
    const opened = await client.get(path);
    if (opened.status !== 200) await client.get('/signin');
    return (await client.post(path, {})).status;
  }

  it('is confirmed by the link of a mail, in the language of the account, in any browser, once', async () => {
    const client = await openAccount('new@example.com', { language: 'fr' });
    const [mail] = await mails.mailsTo('new@example.com');
    expect(mail?.headers['subject']).to.equal('Confirmer votre adresse e-mail');
    expect(await mainText(await client.get('/account'))).to.contain(
      'Your email address is not confirmed yet.',
    );
    const path = pathIn(mail);
    // Mail programs open links.
    expect((await formClient(service.url).get(path)).status).to.equal(200);
    expect(await isConfirmed('new@example.com')).to.equal(false);
    expect(await confirm(path)).to.equal(200);
    expect(await isConfirmed('new@example.com')).to.equal(true);
    expect(await mainText(await client.get('/account'))).not.to.contain('not confirmed');
    expect(await confirm(path)).to.equal(404);
  });

  it('changes when the new address is confirmed, and the old one is told', async () => {
    const client = await openAccount('old@example.com');
    await mails.mailsTo('old@example.com');
    await client.get('/account');
    const asked = await client.post('/account/email', {
      newEmail: 'newer@example.com',
      emailPassword: password,
    });
    expect(asked.status).to.equal(303);
    expect(await mainText(await client.get('/account'))).to.contain('newer@example.com becomes your email');
    const [mail] = await mails.mailsTo('newer@example.com');
    expect(await confirm(pathIn(mail))).to.equal(200);
    expect(await isConfirmed('newer@example.com')).to.equal(true);
    const [, told] = await mails.mailsTo('old@example.com', 2);
    expect(told?.text).to.contain('newer@example.com');
    expect(told?.headers['subject']).to.equal('The email address of your account was changed');
  });

  it('does not change to that of another account, which nobody learns of', async () => {
    await openAccount('taken@example.com');
    const client = await openAccount('wanting@example.com');
    await client.get('/account');
    const form = { newEmail: 'Taken@example.com', emailPassword: password };
    expect((await client.post('/account/email', form)).status).to.equal(303);
    const mail = (await mails.mailsTo('Taken@example.com'))[0];
    expect(await confirm(pathIn(mail))).to.equal(404);
    expect((await findUserByEmail(service.db, 'wanting@example.com')).email).to.equal('wanting@example.com');
  });

  it('is not confirmed by links that have expired, been replaced, or were made up', async () => {
    const client = await openAccount('late@example.com');
    const [first] = await mails.mailsTo('late@example.com');
    await client.get('/account');
    expect((await client.post('/account/confirm', {})).status).to.equal(303);
    const [, second] = await mails.mailsTo('late@example.com', 2);
    expect(await confirm(pathIn(first))).to.equal(404);
    expect(await confirm(`/signin/confirm/${'A'.repeat(43)}`)).to.equal(404);
    service.setNow(new Date(Date.now() + 24 * 3_600_000 + 1_000));
    expect(await confirm(pathIn(second))).to.equal(404);
    expect(await isConfirmed('late@example.com')).to.equal(false);
  });

  it('gets mails in the language that its owner chooses, one of six', async () => {
    const client = await openAccount('polyglot@example.com', { language: 'de' });
    await mails.mailsTo('polyglot@example.com');
    await client.get('/account');
    expect((await client.post('/account/language', { language: 'xx' })).status).to.equal(400);
    expect((await client.post('/account/language', { language: 'zh' })).status).to.equal(303);
    await client.post('/account/confirm', {});
    const sent = await mails.mailsTo('polyglot@example.com', 2);
    const subjects = sent.map(({ headers }) => headers['subject']);
    expect(subjects).to.deep.equal(['E-Mail-Adresse bestätigen', '确认您的电子邮件地址']);
  });

  it('keeps the time zone that its owner chooses, and refuses one that does not exist', async () => {
    const client = await openAccount('traveler@example.com');
    const selected = async () =>
      /<option[^>]* selected[^>]*>([^<]*)/.exec(
        (await (await client.get('/account')).text()).split('name="timeZone"')[1] ?? '',
      )?.[1];
    expect(await selected()).to.equal('As in the browser (UTC in emails)');
    const choose = (timeZone: string) => client.post('/account/language', { language: 'en', timeZone });
    expect((await choose('Europe/Atlantis')).status).to.equal(400);
    expect((await choose('America/New_York')).status).to.equal(303);
    expect(await selected()).to.equal('America/New York');
    // A page of the previous release sends the language only.
    expect((await client.post('/account/language', { language: 'fr' })).status).to.equal(303);
    expect(await selected()).to.equal('America/New York');
  });

  it('is asked for again at most five times an hour', async () => {
    const client = await openAccount('eager@example.com', { asks: false });
    const texts = [];
    for (let time = 0; time < 6; time += 1) {
      await client.get('/account');
      await client.post('/account/confirm', {});
      texts.push(await mainText(await client.get('/account')));
    }
    expect(texts.map((text) => text.includes('Too many emails'))).to.deep.equal([
      ...Array.from({ length: 5 }, () => false),
      true,
    ]);
  });

  it('does not change any more by a link that was asked for before the password changed', async () => {
    const thief = await openAccount('robbed@example.com');
    await thief.get('/account');
    await thief.post('/account/email', { newEmail: 'thief@example.com', emailPassword: password });
    const [mail] = await mails.mailsTo('thief@example.com');
    const owner = await findUserByEmail(service.db, 'robbed@example.com');
    const link = await createSignInLink(service.db, owner, new Date(), { isMailed: true });
    const client = formClient(service.url);
    await client.get('/signin');
    const newPassword = 'another long and rare password';
    expect((await client.post(`/signin/link/${link}`, { newPassword })).status).to.equal(303);
    expect(await confirm(pathIn(mail))).to.equal(404);
    expect((await findUserByEmail(service.db, 'robbed@example.com')).id).to.equal(owner.id);
  });

  it('can still be confirmed by a mail that was sent before the password changed', async () => {
    const client = await openAccount('steady@example.com');
    const [mail] = await mails.mailsTo('steady@example.com');
    await client.get('/account');
    const changed = await client.post('/account/password', {
      oldPassword: password,
      newPassword: 'another long and rare password',
    });
    expect(changed.status).to.equal(303);
    expect(await confirm(pathIn(mail))).to.equal(200);
  });

  it('takes the links to a new password with it that were sent to the old one', async () => {
    const client = await openAccount('leaving@example.com');
    const user = await findUserByEmail(service.db, 'leaving@example.com');
    const link = await createSignInLink(service.db, user, new Date(), { isMailed: true });
    expect((await formClient(service.url).get(`/signin/link/${link}`)).status).to.equal(200);
    await client.get('/account');
    await client.post('/account/email', { newEmail: 'arrived@example.com', emailPassword: password });
    const [mail] = await mails.mailsTo('arrived@example.com');
    expect(await confirm(pathIn(mail))).to.equal(200);
    expect((await formClient(service.url).get(`/signin/link/${link}`)).status).to.equal(404);
  });

  it('has to be confirmed before a second factor is added, which would keep the owner of the address out', async () => {
    const client = await openAccount('squatted@example.com');
    const page = '/account/security';
    expect(await mainText(await client.get(page))).to.contain('confirm your email on the page Account');
    const refused = await client.post(`${page}/totp`, { totpPassword: password });
    expect(refused.status).to.equal(400);
    expect(await mainText(refused)).to.contain('Confirm your email first');
    expect((await client.post(`${page}/passkeys/options`, { passkeyPassword: password })).status).to.equal(
      400,
    );
    const [mail] = await mails.mailsTo('squatted@example.com');
    expect(await confirm(pathIn(mail))).to.equal(200);
    expect(await mainText(await client.get(page))).not.to.contain('confirm your email');
    expect((await client.post(`${page}/totp`, { totpPassword: password })).status).to.equal(303);
    const shown = await (await client.get(page)).text();
    const secret = /id="totp-key"[^>]*value="([A-Z2-7]{32})"/.exec(shown)?.[1] ?? '';
    await client.post(`${page}/totp/confirm`, { code: totpCode(secret, new Date()) });
    const told = (await mails.mailsTo('squatted@example.com', 2)).at(-1);
    expect(told?.text).to.contain('An authenticator app was set up for your account.');
    expect(linkIn(told!)).to.equal('https://qr.test/account/security');
  });
});
