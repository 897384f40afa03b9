import { expect } from 'chai';
import {
  addApplication,
  claimCode,
  findApplication,
  purgeApplications,
} from '../../src/codes/styles/style-applications.ts';
import { defaultLimits } from '../../src/limits.ts';
import { createCode as createStoredCode } from '../../src/codes/codes.ts';
import { normalizeDesign } from '../../src/codes/design/design.ts';
import type { Proofs } from '../../src/codes/proof/proofs.ts';
import { insertStyle } from '../../src/codes/styles/styles.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { createPeriodicHandler } from '../../workers/handlers.ts';
import { createStyleHandler } from '../../workers/style-handler.ts';
import { png } from '../codes/files/logo-files.ts';
import type { ApiClient } from '../support/api-client.ts';
import { ownerClient } from '../support/owner-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { assumedProofs as proofs, quickImages } from '../support/shared-threads.ts';
import { createCode } from '../support/share.ts';
import { testLog } from '../support/test-log.ts';
import type { WorkspaceId } from '../../src/workspaces/workspace.ts';

const now = new Date();

describe('The worker that applies styles', () => {
  let service: TestService;
  before(async () => {
    service = await startService(quickImages);
  });
  after(() => service.stop());

  /** An owner with codes that wait for a style. */
  async function waiting(count: number, keepsDesigns = false) {
    const api: ApiClient = ownerClient(service);
    const style = await api('/styles', { method: 'POST', body: { name: 'Ours', moduleShape: 'rounded' } });
    const codes = [];
    for (let index = 0; index < count; index += 1) codes.push(await createCode(api));
    const codeIds = codes.map(({ id }) => id);
    const { user_id: ownerId } = await service.db('qr_codes').where({ id: codeIds[0] }).first();
    const wanted = { styleId: style.body.id as string, codeIds, keepsDesigns };
    const id = String(await addApplication(service.db, ownerId, wanted, new Date()));
    const shapeOf = async (codeId: string | undefined) =>
      (await api(`/qrcodes/${codeId}/design`)).body.moduleShape as string;
    return { api, codes, id, styleId: wanted.styleId, ownerId: String(ownerId), shapeOf };
  }

  function run(prove: Proofs['prove'] = proofs.prove, closing = new AbortController().signal) {
    const styles = createStyleHandler({
      backgroundDb: service.db,
      proofs: { ...proofs, prove },
      site: { baseUrl: 'https://qr.test' },
      closing,
    });
    return createPeriodicHandler({ styles }, { closing, log: testLog() }).handle({}, 'styles');
  }
  const result = ({ ownerId, id }: { ownerId: string; id: string }) =>
    findApplication(service.db, ownerId as WorkspaceId, id);

  it('lets owners take turns, so that many codes of one do not delay those of another', async () => {
    const [many, few] = [await waiting(4), await waiting(1)];
    const tokens = new Map(
      [
        ...many.codes.map((code) => [code, 'many'] as const),
        ...few.codes.map((code) => [code, 'few'] as const),
      ].map(([code, owner]) => [code.shareToken, owner]),
    );
    const order: (string | undefined)[] = [];
    await run((caller, picture) => {
      order.push(tokens.get(picture.text.slice(-10)));
      return proofs.prove(caller, picture);
    });
    expect(order).to.have.length(5);
    expect(order.indexOf('few')).to.be.below(2);
    expect(await result(many)).to.include({ waiting: 0, applied: 4 });
    expect(await result(few)).to.include({ waiting: 0, applied: 1 });
  });

  it('gives each owner a turn, however many wait', async () => {
    const { rows } = (await service.db.raw(
      `INSERT INTO users (id, email, created_at, updated_at)
       SELECT gen_random_uuid(), 'turn-' || number || '@example.com', now(), now() FROM generate_series(1, 60) AS number
       RETURNING id`,
    )) as { rows: { id: string }[] };
    const ownerByToken = new Map<string, string>();
    for (const { id: ownerId } of rows) {
      const design = normalizeDesign({ moduleShape: 'dots' });
      const style = await insertStyle(
        service.db,
        ownerId as WorkspaceId,
        { name: 'Ours', design, isDefault: false },
        now,
      );
      const codeIds: string[] = [];
      for (let index = 0; index < 3; index += 1) {
        const input = { ...createDefaults, name: 'Menu', content: 'https://example.com/' };
        const { id, shareToken } = await createStoredCode(service.db, ownerId as WorkspaceId, input, {
          lifetimeDays: 365,
          limits: defaultLimits,
          now,
        });
        ownerByToken.set(shareToken, ownerId);
        codeIds.push(id);
      }
      await addApplication(
        service.db,
        ownerId as WorkspaceId,
        { styleId: style.id, codeIds, keepsDesigns: false },
        now,
      );
    }
    const served: (string | undefined)[] = [];
    await run(async (caller, picture) => {
      served.push(ownerByToken.get(picture.text.slice(-10)));
      return { readsAtMm: 15, remedy: null, undrawable: null };
    });
    expect(served).to.have.length(180);
    expect(new Set(served.slice(0, 60)).size).to.equal(60);
  });

  it('leaves a code to the worker that has claimed it, and takes it up when the claim has ended', async () => {
    const owner = await waiting(1);
    const claim = (until: string) =>
      service.db.raw(
        `UPDATE style_application_codes SET claimed_until = now() + interval '${until}' WHERE application_id = ?`,
        [owner.id],
      );
    await claim('1 minute');
    await run();
    expect(await result(owner)).to.include({ waiting: 1, applied: 0 });
    await claim('-1 second');
    await Promise.all([run(), run()]);
    expect(await result(owner)).to.include({ waiting: 0, applied: 1 });
    expect(await owner.shapeOf(owner.codes[0]?.id)).to.equal('rounded');
  });

  it('goes on with other codes when one cannot be proven now', async () => {
    const owner = await waiting(2);
    const [bad, good] = owner.codes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const prove: Proofs['prove'] = (caller, picture) =>
      picture.text.endsWith(String(bad?.shareToken))
        ? Promise.reject(new Error('The proof thread has exited'))
        : proofs.prove(caller, picture);
    await run(prove);
    await run(prove);
    expect(await result(owner)).to.include({ waiting: 1, applied: 1 });
    expect(await owner.shapeOf(good?.id)).to.equal('rounded');
    expect(await owner.shapeOf(bad?.id)).to.equal('square');
  });

  it('keeps the design that a new code has got meanwhile', async () => {
    const owner = await waiting(2, true);
    const [designed, plain] = owner.codes;
    await owner.api(`/qrcodes/${designed?.id}/design`, { method: 'PUT', body: { moduleShape: 'bars' } });
    await run();
    expect(await result(owner)).to.include({ waiting: 0, applied: 2 });
    expect(await owner.shapeOf(designed?.id)).to.equal('bars');
    expect(await owner.shapeOf(plain?.id)).to.equal('rounded');
  });

  /** A code that waits for two styles, the second of which has bars. */
  async function waitingTwice() {
    const owner = await waiting(1);
    const codeId = String(owner.codes[0]?.id);
    const style = await owner.api('/styles', { method: 'POST', body: { name: 'Bars', moduleShape: 'bars' } });
    const apply = await owner.api(`/styles/${style.body.id}/apply`, {
      method: 'POST',
      body: { qrCodeIds: [codeId] },
    });
    const second = { ownerId: owner.ownerId, id: String(apply.body.id) };
    const design = (moduleShape: string) =>
      owner.api(`/qrcodes/${codeId}/design`, { method: 'PUT', body: { moduleShape } });
    return { ...owner, codeId, second, design };
  }
  const endClaims = (ownerId: string) =>
    service.db.raw(
      `UPDATE style_application_codes SET claimed_until = now() - interval '1 second'
       WHERE user_id = ? AND is_applied IS NULL`,
      [ownerId],
    );
  const keptDesign = 'The code got another design meanwhile, which it keeps.';

  it('gives a code its styles in the order of the requests, also when a worker was killed', async () => {
    const owner = await waitingTwice();
    expect((await claimCode(service.db, owner.ownerId as WorkspaceId))?.applicationId).to.equal(owner.id);
    await run();
    expect(await result(owner.second)).to.include({ waiting: 1 });
    await endClaims(owner.ownerId);
    await run();
    expect(await result(owner)).to.include({ waiting: 0, applied: 1 });
    expect(await result(owner.second)).to.include({ waiting: 0, applied: 1 });
    expect(await owner.shapeOf(owner.codeId)).to.equal('bars');
  });

  it('keeps the design that the owner has saved after the request, and says so', async () => {
    const owner = await waitingTwice();
    await owner.design('dots');
    await run();
    for (const application of [owner, owner.second]) {
      const { refused } = await result(application);
      expect(refused).to.deep.equal([{ codeId: owner.codeId, reason: keptDesign }]);
    }
    expect(await owner.shapeOf(owner.codeId)).to.equal('dots');
  });

  it('keeps the design that the owner saves during the proof, or between two styles', async () => {
    const owner = await waitingTwice();
    let proofsDone = 0;
    await run(async (caller, picture) => {
      const proof = await proofs.prove(caller, picture);
      proofsDone += 1;
      if (proofsDone === 2) await owner.design('dots');
      return proof;
    });
    expect(await result(owner)).to.include({ applied: 1 });
    expect((await result(owner.second)).refused).to.deep.equal([
      { codeId: owner.codeId, reason: keptDesign },
    ]);
    expect(await owner.shapeOf(owner.codeId)).to.equal('dots');
  });

  it('saves nothing once another worker has taken over and finished the code', async () => {
    const owner = await waitingTwice();
    let isFirst = true;
    await run(async (caller, picture) => {
      const proof = await proofs.prove(caller, picture);
      if (isFirst) {
        isFirst = false;
        await endClaims(owner.ownerId);
        await run();
      }
      return proof;
    });
    // A run that the database keeps waiting leaves the rest to the next one.
    await run();
    expect(await result(owner)).to.include({ waiting: 0, applied: 1 });
    expect(await result(owner.second)).to.include({ waiting: 0, applied: 1 });
    expect(await owner.shapeOf(owner.codeId)).to.equal('bars');
  });

  it('proves a code again when its style got another logo during the proof', async () => {
    const owner = await waiting(1);
    const [codeId, styleId] = [owner.codes[0]?.id, owner.styleId];
    const upload = async (file: Buffer) =>
      (
        await owner.api(`/styles/${styleId}/logo`, {
          method: 'PUT',
          raw: new Uint8Array(file),
          headers: { 'Content-Type': 'image/png' },
        })
      ).body.logo as string;
    const first = await upload(png(30, 30));
    const proven: (string | null | undefined)[] = [];
    let second: string | undefined;
    const prove: Proofs['prove'] = async (_caller, { design }) => {
      proven.push(design?.logo);
      second ??= await upload(png(40, 40));
      return { readsAtMm: 15, remedy: null, undrawable: null };
    };
    await run(prove);
    expect(await result(owner)).to.deep.include({ waiting: 1, refused: [] });
    await run(prove);
    expect(await result(owner)).to.include({ waiting: 0, applied: 1 });
    expect(proven).to.deep.equal([first, second]);
    expect((await owner.api(`/qrcodes/${codeId}/design`)).body.logo).to.equal(second);
  });

  it('stops when the process shuts down, and the rest waits', async () => {
    const owner = await waiting(1);
    await run(proofs.prove, AbortSignal.abort());
    expect(await result(owner)).to.include({ waiting: 1 });
    await run();
    expect(await result(owner)).to.include({ waiting: 0, applied: 1 });
  });

  it('leaves results that are purged after seven days', async () => {
    const owner = await waiting(1);
    const later = (days: number) => new Date(Date.now() + days * 86_400_000);
    await purgeApplications(service.db, later(6.9));
    expect(await result(owner)).to.include({ total: 1 });
    await purgeApplications(service.db, later(7.1));
    expect(await service.db('style_application_codes').where({ application_id: owner.id })).to.have.length(0);
  });
});
