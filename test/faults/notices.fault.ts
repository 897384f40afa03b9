import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { periodicQueue } from '../../src/queue/periodic-queue.ts';
import { openQueueClient } from '../../src/queue/queue-client.ts';
import { eventually } from '../support/eventually.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { testLog } from '../support/test-log.ts';

const day = 86_400_000;

/** When the worker dies: before the server has the mail, or when it has the whole mail and the worker has not learned so. */
for (const moment of ['before', 'after'] as const)
  describe(`A worker that is killed ${moment} it has sent a notice`, function () {
    this.timeout(600_000);
    let fixture: Fixture;
    let mails: MailServer;
    let kills = 0;
    let killed: Promise<unknown> | undefined;
    function killOnce(at: typeof moment): boolean {
      if (at !== moment || kills > 0) return false;
      kills += 1;
      killed = fixture.workers[0]?.end('SIGKILL');
      return true;
    }

    before(async () => {
      mails = await startMailServer({
        onMailFrom(_address, _session, done) {
          if (!killOnce('before')) done();
        },
        onTaken: () => !killOnce('after'),
      });
      fixture = await startFixture({ settings: { SMTP_URL: mails.url, MAIL_FROM: 'no-reply@qr.test' } });
    });
    after(async () => {
      await fixture.stop();
      await mails.stop();
    });

    it('loses nothing: another one sends the same mail, and it is sent once from then on', async () => {
      const queue = openQueueClient({ place: fixture.place, log: testLog() });
      await eventually(async () => expect(await queue.pending(periodicQueue)).to.equal(0));
      const code = await fixture.makeCode();
      const { id, email } = await findOrCreateUser(fixture.db, 'rig@example.com', new Date());
      await fixture.db('users').where({ id }).update({ confirmed_email: email });
      await fixture
        .db('qr_codes')
        .where({ id: code.id })
        .update({ updated_at: new Date(0), expires_at: new Date(Date.now() + 5 * day) });
      await queue.add({ ...periodicQueue, jobName: 'notices' }, {});
      await eventually(() => expect(kills).to.equal(1), 60_000);
      await killed;
      const taken = mails.received.length;
      expect(taken).to.equal(moment === 'before' ? 0 : 1);
      await fixture.workers[0]?.restart();
      await fixture.addWorker();
      // The job of the killed worker is pending until two checks for stalled jobs have passed, which takes a minute.
      const stalledMs = 180_000;
      const runAgain = async () => {
        await fixture.db('notice_checks').update({ checked_at: fixture.db.raw("'-infinity'") });
        await queue.add({ ...periodicQueue, jobName: 'notices' }, {});
        await eventually(async () => expect(await queue.pending(periodicQueue)).to.equal(0), stalledMs);
      };
      // While the lease lasts, nobody knows that the worker is gone.
      await runAgain();
      expect(mails.received).to.have.length(taken);
      await fixture.db('notices').update({ leased_until: new Date(Date.now() - 1_000) });
      await runAgain();
      await runAgain();
      expect(mails.received).to.have.length(taken + 1);
      expect(new Set(mails.received.map(({ headers }) => headers['message-id'])).size).to.equal(1);
      const notices = (await fixture.db('notices').where({ user_id: id, kind: 'ending' })) as {
        claimed_at: Date | null;
      }[];
      expect(notices.map(({ claimed_at }) => claimed_at !== null)).to.deep.equal([true]);
      await queue.close();
    });
  });
