import { expect } from 'chai';
import { up as fill } from '../../migrations/0042-code-counts.ts';
import { findOrCreateUser, type User } from '../../src/accounts/users.ts';
import { deleteUser } from '../../src/accounts/deletion.ts';
import { countOwnCodes } from '../../src/codes/code-limit.ts';
import { createCode } from '../../src/codes/codes.ts';
import { deleteCode } from '../../src/codes/trash.ts';
import { QrCode } from '../../src/codes/qr-code.ts';
import { defaultLimits } from '../../src/limits.ts';
import { startService, type TestService } from '../support/service.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { type WorkspaceId, ownWorkspaceId } from '../../src/workspaces/workspace.ts';

describe('The count of the codes of an account', () => {
  let service: TestService;
  let users = 0;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const newUser = () => findOrCreateUser(service.db, `counted-${(users += 1)}@example.com`, new Date());
  async function addCodes(user: User, count: number): Promise<QrCode[]> {
    const input = { ...createDefaults, name: 'Menu', content: 'https://example.com/' };
    const options = { lifetimeDays: 365, limits: defaultLimits, now: new Date() };
    const codes: QrCode[] = [];
    for (let number = 0; number < count; number += 1)
      codes.push(await createCode(service.db, ownWorkspaceId(user), input, options));
    return codes;
  }
  const rowsOf = ({ id }: User) => service.db('code_counts').where({ user_id: id });

  it('is read from few rows, however often codes are created and deleted', async () => {
    const user = await newUser();
    for (const { id } of await addCodes(user, 60)) await deleteCode(service.db, ownWorkspaceId(user), id);
    await addCodes(user, 3);
    expect(await countOwnCodes(service.db, ownWorkspaceId(user))).to.equal(3);
    expect(await rowsOf(user)).to.have.length.at.most(5);
  });

  it('is deleted with the account', async () => {
    const [ours, theirs] = [await newUser(), await newUser()];
    await addCodes(ours, 2);
    await addCodes(theirs, 2);
    await deleteUser(service.db, ours);
    // As an operator may do it, by hand.
    await service.db.raw('DELETE FROM users WHERE id = ?', [theirs.id]);
    expect([await rowsOf(ours), await rowsOf(theirs)]).to.deep.equal([[], []]);
  });

  it('includes codes from before the triggers, even if the account creates and deletes some meanwhile', async () => {
    const [quiet, busy] = [await newUser(), await newUser()];
    await addCodes(quiet, 3);
    const before = await addCodes(busy, 3);
    await service.db('code_counts').delete();
    const changing = (async () => {
      for (const { id } of before) await deleteCode(service.db, ownWorkspaceId(busy), id);
      await addCodes(busy, 5);
    })();
    await fill(service.db);
    await changing;
    await fill(service.db);
    const counted = await Promise.all(
      [quiet, busy].map(({ id }) => countOwnCodes(service.db, id as WorkspaceId)),
    );
    expect(counted).to.deep.equal([3, 5]);
  });
});
