import { expect } from 'chai';
import { createMailer, type Mail, MailError } from '../../src/mail/mailer.ts';
import { freePort } from '../support/free-port.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';

const mail: Mail = {
  id: 'mail-1',
  to: 'owner@example.com',
  subject: 'Grüße, 二维码',
  text: 'Schöne Grüße\n二维码\n',
  html: '<p>Schöne Grüße 二维码</p>',
};

describe('The mailer', () => {
  let server: MailServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  async function failure(sending: Promise<void>): Promise<MailError> {
    const error = await sending.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(MailError);
    return error as MailError;
  }

  it('hands a mail in plain text and HTML to the server, with an id that stays the same', async () => {
    server = await startMailServer();
    const mailer = createMailer(server.config);
    await mailer.verify();
    expect(server.received).to.deep.equal([]);
    await mailer.send(mail);
    const [received] = server.received;
    expect(received).to.deep.include({ from: 'no-reply@qr.test', to: ['owner@example.com'] });
    expect(received?.text.trimEnd()).to.equal(mail.text.trimEnd());
    expect(received?.html.trimEnd()).to.equal(mail.html);
    expect(received?.headers).to.include({
      from: 'Qrelay <no-reply@qr.test>',
      to: 'owner@example.com',
      subject: mail.subject,
      'message-id': '<mail-1@qr.test>',
      'auto-submitted': 'auto-generated',
    });
  });

  it('says why a server does not accept a mail without repeating an address, and whether it may later', async () => {
    for (const [responseCode, isPermanent] of [
      [550, true],
      [451, false],
    ] as const) {
      const own = await startMailServer({
        onRcptTo: ({ address }, _session, done) =>
          done(Object.assign(new Error(`<${address}>: no such mailbox`), { responseCode })),
      });
      const error = await failure(createMailer(own.config).send(mail));
      await own.stop();
      expect(error.message).to.contain(String(responseCode)).and.not.to.contain('@');
      expect(error.stack).not.to.contain('owner');
      expect(error.isPermanent).to.equal(isPermanent);
    }
  });

  it('tries again later when the sender is refused: that is the operator’s mistake, not the recipient’s', async () => {
    server = await startMailServer({
      onMailFrom: (_address, _session, done) =>
        done(Object.assign(new Error('not from here'), { responseCode: 550 })),
    });
    const error = await failure(createMailer(server.config).send(mail));
    expect(error.isPermanent).to.equal(false);
    expect(error.remedy).to.contain('MAIL_FROM');
  });

  it('signs in, and tells a refused password from a server that is not there', async () => {
    server = await startMailServer({
      authOptional: false,
      // Without it, the server takes no password in plain text.
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'relay' && password === 's3cret/word'
          ? done(null, { user: username })
          : done(new Error('wrong')),
    });
    const as = (password: string) =>
      createMailer({ ...server!.config, server: { ...server!.server, user: 'relay', password } });
    await as('s3cret/word').send(mail);
    expect(server.received).to.have.length(1);
    const refused = await failure(as('wrong').verify());
    expect(refused.message).to.contain('refused the password').and.not.to.contain('wrong');
    const absent = { ...server.server, port: await freePort() };
    const unreachable = await failure(createMailer({ ...server.config, server: absent }).verify());
    expect(unreachable.message).to.contain('connection to the mail server failed');
    expect(unreachable.isPermanent).to.equal(false);
  });

  it('waits longer for the acknowledgement of a mail than for any other answer', async () => {
    let received = 0;
    server = await startMailServer({
      onData(stream, _session, done) {
        stream.resume();
        stream.on('end', () => {
          received += 1;
          setTimeout(done, 21_000);
        });
      },
    });
    await createMailer(server.config).send(mail);
    expect(received).to.equal(1);
  });

  it('prints mails where there is no server, for local use', async () => {
    let printed = '';
    const mailer = createMailer({ server: 'terminal', from: 'qrelay@localhost' }, (text) => {
      printed += text;
    });
    await mailer.verify();
    await mailer.send(mail);
    expect(printed)
      .to.contain('Email to owner@example.com')
      .and.to.contain(mail.subject)
      .and.to.contain(mail.text);
  });
});
