import { expect } from 'chai';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { defaultLimits } from '../../../src/limits.ts';
import { createCode } from '../../../src/codes/codes.ts';
import { defaultDesign } from '../../../src/codes/design/design.ts';
import { addApplication, findRecentApplications } from '../../../src/codes/styles/style-applications.ts';
import { insertStyle } from '../../../src/codes/styles/styles.ts';
import { dayMs } from '../../../src/runtime/units.ts';
import { createDefaults } from '../../../src/codes/code-rules.ts';
import { startService, type TestService } from '../../support/service.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

describe('Recent applications of styles', () => {
  const now = new Date();
  let service: TestService;
  let users = 0;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  async function ownerWithStyle() {
    const { db } = service;
    const { id: ownerId } = await findOrCreateUser(db, `recent-${(users += 1)}@example.com`, now);
    const style = await insertStyle(
      db,
      ownerId as WorkspaceId,
      { name: 'Ours', design: defaultDesign, isDefault: false },
      now,
    );
    const addCode = async () => {
      const input = { ...createDefaults, name: 'Menu', content: 'https://example.com/' };
      return (
        await createCode(db, ownerId as WorkspaceId, input, { lifetimeDays: 365, limits: defaultLimits, now })
      ).id;
    };
    const apply = async (codeIds: string[], { keepsDesigns = false, at = now } = {}) =>
      String(
        await addApplication(db, ownerId as WorkspaceId, { styleId: style.id, codeIds, keepsDesigns }, at),
      );
    const recent = () => findRecentApplications(db, ownerId as WorkspaceId, now);
    return { addCode, apply, recent };
  }

  it('have the codes that are done, refused and waiting, newest first, for seven days', async () => {
    const owner = await ownerWithStyle();
    const codes = [await owner.addCode(), await owner.addCode(), await owner.addCode()];
    await owner.apply(codes, { at: new Date(now.getTime() - 7 * dayMs) });
    const older = await owner.apply(codes, { at: new Date(now.getTime() - 6 * dayMs) });
    const newer = await owner.apply(codes.slice(0, 1));
    const finish = (codeId: string | undefined, is_applied: boolean) =>
      service
        .db('style_application_codes')
        .where({ application_id: older, code_id: codeId })
        .update({ is_applied });
    await finish(codes[0], true);
    await finish(codes[1], false);
    const of = { styleName: 'Ours', isForNewCodes: false };
    expect((await owner.recent()).map(({ createdAt: _at, ...application }) => application)).to.deep.equal([
      { id: newer, ...of, waiting: 1, applied: 0, refused: 0 },
      { id: older, ...of, waiting: 1, applied: 1, refused: 1 },
    ]);
    // Those of another owner are none of theirs.
    expect(await (await ownerWithStyle()).recent()).to.deep.equal([]);
  });

  it('are at most 20 for new codes, which leave room for those that the owner asked for', async () => {
    const owner = await ownerWithStyle();
    const code = await owner.addCode();
    const asked = await owner.apply([code]);
    const at = new Date(now.getTime() + 1_000);
    for (let index = 0; index < 21; index += 1) await owner.apply([code], { keepsDesigns: true, at });
    const found = await owner.recent();
    expect(found.filter(({ isForNewCodes }) => isForNewCodes)).to.have.length(20);
    expect(found.at(-1)).to.include({ id: asked, isForNewCodes: false });
    expect(found).to.have.length(21);
  });
});
