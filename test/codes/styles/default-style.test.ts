import { expect } from 'chai';
import { findOrCreateUser } from '../../../src/accounts/users.ts';
import { defaultLimits } from '../../../src/limits.ts';
import { newCode } from '../../../src/codes/codes.ts';
import { normalizeDesign } from '../../../src/codes/design/design.ts';
import { findDesign } from '../../../src/codes/design/stored-design.ts';
import { createStyledCode } from '../../../src/codes/styles/default-style.ts';
import { createDefaults } from '../../../src/codes/code-rules.ts';
import { startService, type TestService } from '../../support/service.ts';
import { quickImages } from '../../support/shared-threads.ts';
import type { WorkspaceId } from '../../../src/workspaces/workspace.ts';

describe('A new code with the default style', () => {
  let service: TestService;
  before(async () => {
    service = await startService(quickImages);
  });
  after(() => service.stop());

  it('stays plain, with the error correction of the request, if the logo was deleted meanwhile', async () => {
    const now = new Date();
    const { id: ownerId } = await findOrCreateUser(service.db, 'owner@example.com', now);
    const input = { ...createDefaults, name: 'Menu', content: 'https://example.com/' };
    const design = normalizeDesign({ logo: 'deleted' });
    const created = newCode(ownerId as WorkspaceId, input, 365, now);
    const proven = { design, readsAtMm: 15, proven: 'x', look: created, errorCorrection: 'H' as const };
    const { code, styleMissed } = await createStyledCode(service.db, created, { proven }, defaultLimits);
    expect(styleMissed).to.equal('changed');
    expect(code.errorCorrection).to.equal('M');
    expect(await service.db('qr_codes').where({ id: code.id }).first()).to.include({ error_correction: 'M' });
    expect(await findDesign(service.db, code.id)).to.equal(undefined);
  });
});
