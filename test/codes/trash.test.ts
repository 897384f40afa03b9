import { expect } from 'chai';
import { findOrCreateUser, type User } from '../../src/accounts/users.ts';
import { deleteUser } from '../../src/accounts/deletion.ts';
import { countOwnCodes } from '../../src/codes/code-limit.ts';
import { createDefaults } from '../../src/codes/code-rules.ts';
import { createCode, findCode } from '../../src/codes/codes.ts';
import { saveFile, usedBytes } from '../../src/codes/files/stored-file.ts';
import type { QrCode } from '../../src/codes/qr-code.ts';
import {
  countTrashedCodes,
  deleteCode,
  deleteTrashedCode,
  emptyTrash,
  findTrashedCode,
  purgeTrash,
  readTrash,
  restoreCode,
  trashCode,
} from '../../src/codes/trash.ts';
import { defaultLimits, type PlanLimits } from '../../src/limits.ts';
import { Scan } from '../../src/scans/scan.ts';
import { scanRow } from '../support/scan-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { ownWorkspaceId } from '../../src/workspaces/workspace.ts';

const never = () => false;
const limitedTo = (codes: number): PlanLimits => ({
  ...defaultLimits,
  free: { ...defaultLimits.free, codes },
});

describe('The trash', () => {
  let service: TestService;
  let user: User;
  let users = 0;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(async () => {
    user = await findOrCreateUser(service.db, `trash-${(users += 1)}@example.com`, new Date());
  });

  async function create(count: number): Promise<QrCode[]> {
    const input = { ...createDefaults, name: 'Menu', content: 'https://example.com/' };
    const options = { lifetimeDays: 365, limits: defaultLimits, now: new Date() };
    const codes: QrCode[] = [];
    while (codes.length < count)
      codes.push(await createCode(service.db, ownWorkspaceId(user), input, options));
    return codes;
  }
  async function createOne(): Promise<QrCode> {
    const [code] = await create(1);
    if (!code) throw new Error('No code was created');
    return code;
  }
  const trash = ({ id }: QrCode, limits = defaultLimits) =>
    trashCode(service.db, ownWorkspaceId(user), id, limits);
  const restore = ({ id }: QrCode, limits = defaultLimits) =>
    restoreCode(service.db, ownWorkspaceId(user), id, limits);
  const isActive = ({ id }: QrCode) =>
    findCode(service.db, ownWorkspaceId(user), id).then(
      () => true,
      () => false,
    );
  const isTrashed = async ({ id }: QrCode) =>
    Boolean(await findTrashedCode(service.db, ownWorkspaceId(user), id));
  const rows = async ({ id }: QrCode) => (await service.db('qr_codes').where({ id })).length;
  const age = (days: number, codes: QrCode[]) =>
    service
      .db('trashed_codes')
      .whereIn(
        'code_id',
        codes.map(({ id }) => id),
      )
      .update({ trashed_at: service.db.raw(`now() - interval '${days} days'`) });
  const fulfilled = (results: PromiseSettledResult<unknown>[]) =>
    results.filter(({ status }) => status === 'fulfilled').length;

  it('gives a code back as it was', async () => {
    const code = await createOne();
    await trash(code);
    expect([await isActive(code), await isTrashed(code)]).to.deep.equal([false, true]);
    expect(await findTrashedCode(service.db, ownWorkspaceId(user), code.id)).to.include({
      workspaceId: user.id,
      shareToken: code.shareToken,
      name: code.name,
    });
    expect(await restore(code)).to.deep.equal(code);
    expect([await isActive(code), await isTrashed(code)]).to.deep.equal([true, false]);
  });

  it('moves a code once of many parallel deletions, and counts it once', async () => {
    const [code, other] = await create(2);
    if (!code || !other) throw new Error('No code was created');
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => trash(code)));
    expect(fulfilled(results)).to.equal(1);
    expect(await countOwnCodes(service.db, ownWorkspaceId(user))).to.equal(1);
    expect(await countTrashedCodes(service.db, ownWorkspaceId(user))).to.equal(1);
  });

  it('loses no code and counts none twice when it is deleted and restored at the same time', async () => {
    const code = await createOne();
    for (let round = 0; round < 10; round += 1) {
      await Promise.allSettled([trash(code), restore(code), trash(code), restore(code)]);
      expect(await rows(code)).to.equal(1);
      const active = await isActive(code);
      expect(await isTrashed(code)).to.equal(!active);
      expect(await countOwnCodes(service.db, ownWorkspaceId(user))).to.equal(active ? 1 : 0);
    }
  });

  it('either restores a code or deletes it for good, when both happen at the same time', async () => {
    for (const code of await create(10)) {
      await trash(code);
      const results = await Promise.allSettled([
        restore(code),
        deleteTrashedCode(service.db, ownWorkspaceId(user), code.id),
      ]);
      expect(fulfilled(results)).to.equal(1);
      expect(await isTrashed(code)).to.equal(false);
      expect(await rows(code)).to.equal(results[0]?.status === 'fulfilled' ? 1 : 0);
      if (await isActive(code)) await deleteCode(service.db, ownWorkspaceId(user), code.id);
    }
    expect(await countOwnCodes(service.db, ownWorkspaceId(user))).to.equal(0);
  });

  it('does not count against the limit of codes, and needs room to restore one', async () => {
    const code = await createOne();
    await trash(code);
    await createOne();
    const refused = await restore(code, limitedTo(1)).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'validation_error', reason: 'quota_exceeded' });
    expect((refused as Error).message).to.match(/may have 1: another one does not fit\. Delete codes/);
    expect(await isTrashed(code)).to.equal(true);
    await restore(code, limitedTo(2));
    expect(await countOwnCodes(service.db, ownWorkspaceId(user))).to.equal(2);
  });

  it('has at most as many codes as the account may have: the oldest are deleted for good', async () => {
    const codes = await create(5);
    for (const code of codes) await trash(code, limitedTo(3));
    const kept = (await readTrash(service.db, ownWorkspaceId(user), { limit: 10 })).codes.map(({ id }) => id);
    expect(kept).to.deep.equal(
      codes
        .slice(2)
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(await rows(codes[0] as QrCode)).to.equal(0);
  });

  it('is purged after 30 days by the clock of the database, and restores nothing that is older', async () => {
    const [old, young] = await create(2);
    if (!old || !young) throw new Error('No code was created');
    await trash(old);
    await trash(young);
    await age(30, [old]);
    await age(29, [young]);
    expect(await countTrashedCodes(service.db, ownWorkspaceId(user))).to.equal(1);
    expect(await restore(old).catch((error: unknown) => error)).to.include({ code: 'not_found' });
    await purgeTrash(service.db, () => true);
    expect(await rows(old)).to.equal(1);
    expect(await purgeTrash(service.db, never)).to.be.at.least(1);
    expect([await rows(old), await rows(young)]).to.deep.equal([0, 1]);
    expect(await service.db('deleted_codes').where({ id: old.id })).to.have.length(1);
    await restore(young);
    expect(await countOwnCodes(service.db, ownWorkspaceId(user))).to.equal(1);
  });

  it('is emptied at once, and keeps no code of the account when that is deleted', async () => {
    const [first, second, third, active] = (await create(4)) as [QrCode, QrCode, QrCode, QrCode];
    for (const code of [first, second, third]) await trash(code);
    await emptyTrash(service.db, ownWorkspaceId(user));
    for (const code of [first, second, third]) expect(await rows(code)).to.equal(0);
    expect(await isActive(active)).to.equal(true);
    await trash(active);
    await deleteUser(service.db, user);
    expect(await rows(active)).to.equal(0);
    expect(await service.db('trashed_codes').where({ user_id: user.id })).to.deep.equal([]);
    expect(await service.db('code_counts').where({ user_id: user.id })).to.deep.equal([]);
  });

  it('keeps no code of an account that is deleted by hand or by the previous release', async () => {
    const code = await createOne();
    await trash(code);
    await service.db('users').where({ id: user.id }).delete();
    expect(await rows(code)).to.equal(0);
  });

  it('records late scans, so that the counters of a restored code are right', async () => {
    const code = await createOne();
    await Scan.record(service.db, [scanRow(code.id, '2027-01-01T00:00:00.000Z')]);
    await trash(code);
    await Scan.record(service.db, [scanRow(code.id, '2027-01-01T00:00:01.000Z')]);
    await restore(code);
    const total = (await service
      .db('scan_counters')
      .where({ qr_code_id: code.id, dimension: 'total' })
      .sum('count as count')
      .first()) as { count: string };
    expect(Number(total.count)).to.equal(2);
  });

  it('leaves its room to new files: the oldest files go, and no account stores more than its quota', async () => {
    const quotaBytes = 1_000;
    const codes = (await create(4)) as [QrCode, QrCode, QrCode, QrCode];
    const [oldest, latest, active, late] = codes;
    const save = (code: QrCode, bytes: number) =>
      saveFile(
        service.db,
        code,
        { kind: 'file', name: 'menu.pdf', mediaType: 'application/pdf', data: new Uint8Array(bytes) },
        { quotaBytes, now: new Date() },
      );
    const filesLeft = async () => {
      const files = (await service.db('code_files').where({ user_id: user.id }).select('code_id')) as {
        code_id: string;
      }[];
      return codes.filter(({ id }) => files.some((file) => file.code_id === id));
    };
    await save(oldest, 400);
    await save(latest, 400);
    await trash(oldest);
    await trash(latest);
    expect(await usedBytes(service.db, ownWorkspaceId(user))).to.equal(0);
    await save(active, 200);
    expect(await filesLeft()).to.deep.equal([oldest, latest, active]);
    await save(late, 400);
    expect(await filesLeft()).to.deep.equal([latest, active, late]);
    await restore(latest);
    expect(await usedBytes(service.db, ownWorkspaceId(user))).to.equal(quotaBytes);
  });

  it('is read page by page, the latest first, and back', async () => {
    const codes = await create(5);
    for (const code of codes) await trash(code);
    const order = codes.map(({ id }) => id).toReversed();
    const first = await readTrash(service.db, ownWorkspaceId(user), { limit: 2 });
    const second = await readTrash(service.db, ownWorkspaceId(user), { limit: 2, after: first.codes.at(-1) });
    const last = await readTrash(service.db, ownWorkspaceId(user), { limit: 2, after: second.codes.at(-1) });
    expect([first, second, last].flatMap((page) => page.codes.map(({ id }) => id))).to.deep.equal(order);
    expect([first.hasPrevious, first.hasNext, last.hasPrevious, last.hasNext]).to.deep.equal([
      false,
      true,
      true,
      false,
    ]);
    const back = await readTrash(service.db, ownWorkspaceId(user), { limit: 2, before: last.codes[0] });
    expect(back.codes.map(({ id }) => id)).to.deep.equal(order.slice(2, 4));
  });
});
