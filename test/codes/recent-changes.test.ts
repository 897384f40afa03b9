import { expect } from 'chai';
import { findOrCreateUser } from '../../src/accounts/users.ts';
import { createRecentChanges } from '../../src/codes/codes.ts';
import type { Database } from '../../src/store/database.ts';
import { eventually } from '../support/eventually.ts';
import { sharedService } from '../support/shared-service.ts';

describe('The mark of an owner whose codes have just changed', () => {
  let db: Database;
  let id: string;

  before(async () => {
    ({ db } = await sharedService());
    ({ id } = await findOrCreateUser(db, 'recent-changes@example.com', new Date()));
  });

  const markAge = (ms: number) =>
    db('workspaces')
      .where({ id })
      .update({ codes_changed_at: db.raw(`clock_timestamp() - interval '${ms} ms'`) });
  const markedAt = async () =>
    ((await db('workspaces').where({ id }).first('codes_changed_at')) as { codes_changed_at: Date | null })
      .codes_changed_at;

  it('is there for as long as a usable replica may lack the change, and not longer', async () => {
    const changes = createRecentChanges(db);
    await db('workspaces').where({ id }).update({ codes_changed_at: null });
    expect(await changes.has(id)).to.equal(false);
    await changes.mark(id);
    expect(await changes.has(id)).to.equal(true);
    // A replica is used until it is 2 s behind, and marks are rounded by a quarter of a second.
    await markAge(2_600);
    expect(await changes.has(id)).to.equal(false);
    // Repeated, because it gets older while a busy machine looks.
    await eventually(async () => {
      await markAge(2_200);
      expect(await changes.has(id)).to.equal(true);
    });
  });

  it('is set again by a later change, and not written for each of many', async () => {
    const changes = createRecentChanges(db);
    await markAge(1_000);
    const old = await markedAt();
    await changes.mark(id);
    const fresh = await markedAt();
    expect(fresh).to.be.above(old as Date);
    await db('workspaces')
      .where({ id })
      .update({ codes_changed_at: db.raw(`clock_timestamp() + interval '1 s'`) });
    const ahead = await markedAt();
    await changes.mark(id);
    expect(await markedAt()).to.deep.equal(ahead);
  });
});
