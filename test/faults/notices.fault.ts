import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { noticeQueue } from '../../src/queue/notice-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { testLog } from '../support/test-log.ts';

const day = 86_400_000;

describe('A worker that is killed while it sends a notice', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let mails: MailServer;
  let handedOver = 0;
  let killed: Promise<unknown> | undefined;

  before(async () => {
    mails = await startMailServer({
      // The server has the whole mail, and the worker dies before it learns so.
      onData(stream) {
        stream.resume();
        stream.on('end', () => {
          handedOver += 1;
          killed = fixture.workers[0]?.end('SIGKILL');
        });
      },
    });
    fixture = await startFixture({ settings: { SMTP_URL: mails.url, MAIL_FROM: 'no-reply@qr.test' } });
  });
  after(async () => {
    await fixture.stop();
    await mails.stop();
  });

  it('does not send it again when it is back, and another worker takes its job', async () => {
    const queue = openQueueClient({ place: fixture.place, log: testLog() });
    await eventually(async () => expect(await queue.pending(noticeQueue)).to.equal(0));
    const code = await fixture.makeCode();
    const { id, email } = await findOrCreateUser(fixture.db, 'rig@example.com', new Date());
    await fixture.db('users').where({ id }).update({ confirmed_email: email });
    await fixture
      .db('qr_codes')
      .where({ id: code.id })
      .update({ updated_at: new Date(0), expires_at: new Date(Date.now() + 5 * day) });
    await queue.add(noticeQueue, {});
    await eventually(() => expect(handedOver).to.equal(1), 60_000);
    await killed;
    await fixture.workers[0]?.restart();
    await fixture.addWorker();
    // The job of the killed worker, and one more that looks at the codes again.
    await fixture.db('notice_checks').update({ checked_at: fixture.db.raw("'-infinity'") });
    await queue.add(noticeQueue, {});
    await eventually(async () => expect(await queue.pending(noticeQueue)).to.equal(0), 60_000);
    expect(handedOver).to.equal(1);
    const notices = (await fixture.db('notices').where({ user_id: id, kind: 'ending' })) as {
      claimed_at: Date | null;
    }[];
    expect(notices.map(({ claimed_at }) => claimed_at !== null)).to.deep.equal([true]);
    await queue.close();
  });
});
