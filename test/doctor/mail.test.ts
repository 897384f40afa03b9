import { expect } from 'chai';
import { checkMail } from '../../src/doctor/mail.ts';
import { freePort } from '../support/free-port.ts';
import { startMailServer } from '../support/mail-server.ts';
import { goodConfig } from './setup.ts';

describe('The doctor on mail', () => {
  it('connects to the mail server and sends nothing', async () => {
    const mails = await startMailServer();
    const finding = await checkMail(goodConfig({ mail: mails.config }));
    await mails.stop();
    expect(finding.state).to.equal('ok');
    expect(mails.received).to.deep.equal([]);
  });

  it('fails if the mail server cannot be reached, and says what to check', async () => {
    const server = {
      host: '127.0.0.1',
      port: await freePort(),
      isSecure: false,
      user: undefined,
      password: undefined,
    };
    const finding = await checkMail(goodConfig({ mail: { server, from: 'no-reply@qr.test' } }));
    expect(finding).to.include({ subject: 'mail', state: 'failure' });
    expect(finding.finding).to.contain(`127.0.0.1:${server.port} cannot be used`);
    expect(finding.remedy).to.contain('Check host and port in SMTP_URL');
  });

  it('warns if users who forget their password learn neither a link nor whom to ask', async () => {
    const states = [];
    for (const supportContact of ['help@qr.test', undefined])
      states.push((await checkMail(goodConfig({ mail: undefined, supportContact }))).state);
    expect(states).to.deep.equal(['ok', 'warning']);
  });
});
