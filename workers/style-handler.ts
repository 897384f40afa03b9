import { findDesign, saveDesign, type StoredDesign } from '../src/codes/design/stored-design.ts';
import { proveDesign } from '../src/codes/proof/prove-design.ts';
import type { Proofs } from '../src/codes/proof/proofs.ts';
import { QrCode } from '../src/codes/qr-code.ts';
import {
  claimCode,
  type ClaimedCode,
  findWaitingOwners,
  recordApplied,
  recordUnchanged,
  releaseCode,
} from '../src/codes/styles/style-applications.ts';
import { AppError, BusyError } from '../src/errors.ts';
import type { PeriodicHandler } from '../src/queue/periodic-queue.ts';
import { runAs } from '../src/store/actor.ts';
import type { Database } from '../src/store/database.ts';
import type { WorkspaceId } from '../src/workspaces/workspace.ts';

interface StyleHandlerOptions {
  /** Not the connections that record scans. */
  backgroundDb: Database;
  proofs: Proofs;
  site: { baseUrl: string };
  closing: AbortSignal;
}

/** Codes that are left are waiting for their owner's turn, or were changed meanwhile. */
const moreInMs = 2_000;

const hasOwnDesign = new Error('The code has got a design meanwhile');
const isDoneElsewhere = new Error('The style was deleted, or another worker has finished the code');
const keptDesign = 'The code got another design meanwhile, which it keeps.';

/** Safe to repeat: codes are claimed one by one, and design and outcome are saved together. */
export function createStyleHandler({
  backgroundDb: db,
  proofs,
  site,
  closing,
}: StyleHandlerOptions): PeriodicHandler {
  /** Each is proven on its own: colors, error correction and content differ. */
  async function apply(workspaceId: WorkspaceId, claimed: ClaimedCode): Promise<void> {
    const { codeId, design, keepsDesigns, foregroundColor, backgroundColor } = claimed;
    const code = await QrCode.query(db).findOne({ id: codeId, user_id: workspaceId });
    // Deleted meanwhile, or in the trash.
    if (!code) return;
    requireReplaceable(claimed, await findDesign(db, codeId));
    // A new code keeps the colors that it was created with.
    const hasColors = !keepsDesigns && foregroundColor !== null && backgroundColor !== null;
    const caller = { key: workspaceId, signal: closing };
    const proven = await proveDesign(proofs, caller, code, design, site.baseUrl, {
      changes: hasColors ? { foregroundColor, backgroundColor } : {},
    });
    await db.transaction(async (transaction) => {
      const now = new Date();
      await saveDesign(transaction, code, { ...proven, sharesLogo: true }, now, (stored) =>
        requireReplaceable(claimed, stored),
      );
      if (!(await recordApplied(transaction, claimed, now))) throw isDoneElsewhere;
    });
  }

  /** Returns whether a code was found and is done. */
  async function applyNext(workspaceId: WorkspaceId): Promise<boolean> {
    const claimed = await claimCode(db, workspaceId);
    if (!claimed) return false;
    try {
      await runAs(claimed.actor ?? { kind: 'service' }, () => apply(workspaceId, claimed));
    } catch (error) {
      if (error === isDoneElsewhere) return true;
      if (isChangedMeanwhile(error)) {
        // The next claim reads code and style as they are then.
        await releaseCode(db, claimed);
        return false;
      }
      const reason = reasonOf(error);
      if (reason !== undefined) {
        await recordUnchanged(db, claimed, reason);
        return true;
      }
      // Otherwise the claim ends by itself: a code that fails must not keep others waiting.
      if (closing.aborted) await releaseCode(db, claimed);
      throw error;
    }
    return true;
  }

  let lastOwner: string | undefined;

  return async ({ isOver }) => {
    for (;;) {
      const owners = await findWaitingOwners(db, lastOwner);
      let applied = 0;
      for (const workspaceId of owners) {
        if (isOver()) return moreInMs;
        lastOwner = workspaceId;
        if (await applyNext(workspaceId)) applied += 1;
      }
      if (applied === 0) return owners.length > 0 ? moreInMs : undefined;
    }
  };
}

/** A design that the owner has saved after the request stays. */
function requireReplaceable(
  { keepsDesigns, requestedAt, styledAt }: ClaimedCode,
  stored: StoredDesign | undefined,
): void {
  if (!stored) return;
  if (keepsDesigns) throw hasOwnDesign;
  const isOfStyle = stored.updatedAt.getTime() === styledAt?.getTime();
  if (!isOfStyle && stored.updatedAt > requestedAt) throw new AppError('validation_error', keptDesign);
}

/** Code, design or style is no longer what was proven. */
const isChangedMeanwhile = (error: unknown) => error instanceof AppError && error.status === 412;

/** Why the code stays as it was: null where that is what was asked for, undefined where it is tried again. */
function reasonOf(error: unknown): string | null | undefined {
  if (error === hasOwnDesign) return null;
  if (!(error instanceof AppError) || error instanceof BusyError) return undefined;
  if (!error.details) return error.message;
  return `${error.details.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
}
