import type { Database } from '../../store/database.ts';
import { QrCode } from '../qr-code.ts';
import { undoableSince } from '../undo-period.ts';
import { type Design, normalizeDesign } from './design.ts';
import { StoredDesign, changeDesign } from './stored-design.ts';
import { lockLogos } from './stored-logo.ts';

export interface RemovedDesign {
  design: Design;
  removedAt: Date;
}

/** The last design that the owner of a code removed, which can be restored. */
export async function findRemovedDesign(
  db: Database,
  codeId: string,
  now: Date,
): Promise<RemovedDesign | undefined> {
  const removed = await findRemoved(db, codeId);
  if (!removed || removed.removedAt <= undoableSince(now)) return undefined;
  // A design from an earlier release lacks newer fields.
  return { ...removed, design: normalizeDesign(removed.design) };
}

async function findRemoved(db: Database, codeId: string): Promise<RemovedDesign | undefined> {
  return db('removed_designs')
    .where({ code_id: codeId })
    .first('design', 'removed_at as removedAt') as Promise<RemovedDesign | undefined>;
}

/** Takes the design from the code and keeps it, with its logo, for `undoDays`. */
export async function removeDesign(
  db: Database,
  owned: Pick<QrCode, 'id' | 'workspaceId'>,
  now: Date,
): Promise<void> {
  await changeDesign(
    db,
    owned,
    { checkStored: () => undefined },
    async (transaction, stored, { id: codeId, workspaceId }) => {
      if (!stored) return;
      const former = await findRemoved(transaction, codeId);
      await lockLogos(transaction, workspaceId, [stored.design.logo, former?.design.logo]);
      // Before the design is deleted: a logo without any use would be deleted with it.
      await transaction('removed_designs')
        .insert({ code_id: codeId, user_id: workspaceId, design: stored.design, removed_at: now })
        .onConflict('code_id')
        .merge();
      await StoredDesign.query(transaction).deleteById(codeId);
      await QrCode.query(transaction).findById(codeId).patch({ updatedAt: now });
    },
  );
}

/** After its design was proven and saved again. */
export async function purgeRemovedDesign(
  db: Database,
  { id, workspaceId }: Pick<QrCode, 'id' | 'workspaceId'>,
): Promise<void> {
  await db('removed_designs').where({ code_id: id, user_id: workspaceId }).delete();
}

const logosPerRun = 1_000;

/** The logos that versions of codes had, which can no longer be restored. */
export async function purgeReplacedLogos(db: Database, now: Date, isOver: () => boolean): Promise<void> {
  const since = undoableSince(now);
  const found = (await db('replaced_logos')
    .where('replaced_at', '<=', since)
    .orderBy('replaced_at')
    .limit(logosPerRun)
    .select('code_id', 'logo')) as object[];
  for (const key of found) {
    if (isOver()) return;
    await db('replaced_logos').where(key).where('replaced_at', '<=', since).delete();
  }
}

const designsPerRun = 1_000;

/** The designs that can no longer be restored, one by one: each locks its logo. */
export async function purgeRemovedDesigns(db: Database, now: Date, isOver: () => boolean): Promise<void> {
  const codes = (await db('removed_designs')
    .where('removed_at', '<=', undoableSince(now))
    .orderBy('removed_at')
    .limit(designsPerRun)
    .pluck('code_id')) as string[];
  for (const codeId of codes) {
    if (isOver()) return;
    await db('removed_designs')
      .where({ code_id: codeId })
      .where('removed_at', '<=', undoableSince(now))
      .delete();
  }
}
