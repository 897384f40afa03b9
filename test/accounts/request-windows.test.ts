import { expect } from 'chai';
import { listKeyUse } from '../../src/accounts/api-keys.ts';
import {
  purgeOldWindows,
  readAttempts,
  refundAttempt,
  RequestWindow,
  takeAttempt,
} from '../../src/accounts/request-windows.ts';
import type { Database } from '../../src/store/database.ts';
import { sharedService } from '../support/shared-service.ts';
import type { WorkspaceId } from '../../src/workspaces/workspace.ts';

describe('The window of requests', () => {
  let db: Database;
  let subjects = 0;
  let subject: string;

  before(async () => {
    const service = await sharedService();
    ({ db } = service);
    await service.makeKey({ email: 'request-windows@example.com' });
  });
  beforeEach(() => {
    subject = `test-window:${(subjects += 1)}`;
  });

  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const insert = (...ages: number[]) =>
    RequestWindow.query(db).insert({
      subject,
      recent: ages.map(minutesAgo),
      admitted: true,
      checkedAt: minutesAgo(ages.at(-1) ?? 0),
    });
  const recent = async () => (await RequestWindow.query(db).findById(subject).throwIfNotFound()).recent;

  it('is open again when enough of them are an hour old, also after the quota was lowered', async () => {
    await insert(50, 30, 10);
    const refused = await takeAttempt(db, { subject, maxPerHour: 2 });
    expect(refused.isAllowed).to.equal(false);
    // The second oldest has to leave it as well.
    expect(refused.retryAfter / 60).to.be.within(29, 30);
    expect(await recent()).to.have.length(3);
    const allowed = await takeAttempt(db, { subject, maxPerHour: 4 });
    expect(allowed).to.include({ isAllowed: true, retryAfter: 0 });
  });

  it('forgets requests after an hour', async () => {
    await insert(61, 60.1, 59);
    const [state] = await readAttempts(db, [{ subject, maxPerHour: 1 }]);
    expect(state?.used).to.equal(1);
    expect(state?.retryAfter).to.be.within(1, 60);
    expect(await takeAttempt(db, { subject, maxPerHour: 2 })).to.include({ isAllowed: true });
    expect(await recent()).to.have.length(2);
  });

  it('gives one attempt back, that one and no other', async () => {
    const limit = { subject, maxPerHour: 3 };
    const [first, second] = [await takeAttempt(db, limit), await takeAttempt(db, limit)];
    await takeAttempt(db, limit);
    const [one, , three] = await recent();
    await refundAttempt(db, limit, second);
    expect(await recent()).to.deep.equal([one, three]);
    // A second time changes nothing.
    await refundAttempt(db, limit, second);
    expect(await recent()).to.deep.equal([one, three]);
    await refundAttempt(db, limit, first);
    expect(await recent()).to.deep.equal([three]);
  });

  it('is purged an hour after its last request; when a key was used is then noted with the key', async () => {
    await insert(59);
    const fresh = subject;
    subject = `${subject}-old`;
    await insert(61);
    const old = subject;
    const { id, user_id: userId } = (await db('api_keys').first('id', 'user_id')) as Record<string, string>;
    subject = `key:${id}`;
    await RequestWindow.query(db).deleteById(subject);
    await insert(61);
    const { checkedAt } = await RequestWindow.query(db).findById(subject).throwIfNotFound();
    const useOf = async () =>
      (await listKeyUse(db, (userId as WorkspaceId) ?? '')).find(({ key }) => key.id === id) ??
      expect.fail('no such key');
    expect((await useOf()).lastUsedAt).to.deep.equal(checkedAt);
    await purgeOldWindows(db);
    const left = await RequestWindow.query(db).findByIds([fresh, old, subject]);
    expect(left.map((window) => window.subject)).to.have.members([fresh]);
    expect((await useOf()).lastUsedAt).to.deep.equal(checkedAt);
    // The next request opens a window again, which is newer.
    await insert(2);
    expect((await useOf()).lastUsedAt).to.be.above(checkedAt);
    // Keys that were not used are not written.
    const version = async () => (await db('api_keys').where({ id }).first(db.raw('xmin'))) as object;
    const before = await version();
    await purgeOldWindows(db);
    expect(await version()).to.deep.equal(before);
  });
});
