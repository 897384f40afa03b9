import { expect } from 'chai';
import { runQrelayHere } from '../support/command-line.ts';
import { freePort } from '../support/free-port.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';

const MAIL_FROM = 'Qrelay <no-reply@qr.test>';

describe('qrelay mail test', () => {
  let mails: MailServer;
  before(async () => {
    mails = await startMailServer();
  });
  after(() => mails.stop());

  it('sends a mail, in the language that is asked for', async () => {
    const args = ['mail', 'test', '--to', 'operator@example.com', '--language', 'fr'];
    const { code, stdout, stderr } = await runQrelayHere(args, { SMTP_URL: mails.url, MAIL_FROM });
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
    expect(stderr).to.contain('accepted an email from Qrelay <no-reply@qr.test> to operator@example.com');
    const [mail] = await mails.mailsTo('operator@example.com');
    expect(mail?.headers['subject']).to.equal('E-mail de test de Qrelay');
  });

  it('says what is wrong and what to do, without a password', async () => {
    const args = ['mail', 'test', '--to', 'operator@example.com'];
    const unset = await runQrelayHere(args, {});
    expect(unset.code).to.equal(1);
    expect(unset.stderr).to.contain('SMTP_URL is not set');
    const url = `smtp://user:s3cret@127.0.0.1:${await freePort()}`;
    const { code, stderr } = await runQrelayHere(args, { SMTP_URL: url, MAIL_FROM });
    expect(code).to.equal(1);
    expect(stderr).to.contain('The mail was not sent').and.to.contain('Check host and port in SMTP_URL');
    expect(stderr).not.to.contain('s3cret');
  });
});
