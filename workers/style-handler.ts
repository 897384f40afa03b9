import { findDesign, saveDesign } from '../src/codes/design/stored-design.ts';
import { proveDesign } from '../src/codes/proof/prove-design.ts';
import type { Proofs } from '../src/codes/proof/proofs.ts';
import { QrCode } from '../src/codes/qr-code.ts';
import {
  type ClaimedCode,
  claimCode,
  findWaitingOwners,
  recordOutcome,
  releaseCode,
} from '../src/codes/styles/claim-codes.ts';
import { AppError, BusyError } from '../src/errors.ts';
import type { JobHandler } from '../src/queue/queue-worker.ts';
import { type Database, isDatabaseUnavailable } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';

/** The next run goes on with what is left. */
const maxRunMs = 60_000;

export interface StyleHandlerOptions {
  /** Not the connections that record scans. */
  backgroundDb: Database;
  proofs: Proofs;
  site: { baseUrl: string };
  closing: AbortSignal;
  log: Log;
}

const hasOwnDesign = new Error('The code has got a design meanwhile');

/** Safe to repeat: codes are claimed one by one, and a code that gets the same style twice is the same. */
export function createStyleHandler({
  backgroundDb: db,
  proofs,
  site,
  closing,
  log,
}: StyleHandlerOptions): JobHandler<object> {
  /** Returns why the code stays as it was. Each is proven on its own: colors, error correction and content differ. */
  async function apply({ codeId, design, keepsDesigns }: ClaimedCode): Promise<string | undefined> {
    const code = await QrCode.query(db).findById(codeId);
    // Deleted meanwhile.
    if (!code) return undefined;
    if (keepsDesigns && (await findDesign(db, codeId))) return undefined;
    try {
      const proven = await proveDesign(proofs, code, design, site.baseUrl);
      await saveDesign(db, codeId, { ...proven, sharesLogo: true }, new Date(), (stored) => {
        if (keepsDesigns && stored) throw hasOwnDesign;
      });
      return undefined;
    } catch (error) {
      if (error === hasOwnDesign) return undefined;
      if (!(error instanceof AppError) || error instanceof BusyError) throw error;
      if (!error.details) return error.message;
      return `${error.details.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
    }
  }

  /** Returns whether a code was found. */
  async function applyNext(ownerId: string): Promise<boolean> {
    const claimed = await claimCode(db, ownerId);
    if (!claimed) return false;
    try {
      await recordOutcome(db, claimed, await apply(claimed));
    } catch (error) {
      // Otherwise the claim ends by itself: a code that fails must not keep others waiting.
      if (closing.aborted) await releaseCode(db, claimed);
      throw error;
    }
    return true;
  }

  return async () => {
    const until = performance.now() + maxRunMs;
    const isOver = () => closing.aborted || performance.now() > until;
    try {
      for (let isDone = false; !isDone; ) {
        isDone = true;
        for (const ownerId of await findWaitingOwners(db)) {
          if (isOver()) return;
          if (await applyNext(ownerId)) isDone = false;
        }
      }
    } catch (err) {
      if (!isDatabaseUnavailable(err) && !(err instanceof BusyError)) throw err;
      // The next run finds the same: put back, the runs of an outage would pile up.
      log.warn({ err }, 'styles could not be applied to codes');
    }
  };
}
