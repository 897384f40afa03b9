import { AppError, BusyError, type FieldError } from '../../errors.ts';
import type { PlanLimits } from '../../limits.ts';
import type { Database } from '../../store/database.ts';
import { requireRoomForCodes } from '../code-limit.ts';
import { insertCode, insertCodes, type QrCodeColumns } from '../codes.ts';
import { insertDesign, type ProvenDesign } from '../design/stored-design.ts';
import { type Look, proveDesign } from '../proof/prove-design.ts';
import type { Proofs } from '../proof/proofs.ts';
import type { QrCode } from '../qr-code.ts';
import { addApplication } from './style-applications.ts';
import { findDefaultStyle } from './styles.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

interface DefaultStyleOutcome {
  proven?: ProvenDesign;
  /** Why phones could not read the code in this style. */
  refused?: FieldError[];
  /** Id of a style that the worker applies later. */
  deferred?: string;
}

interface ProofParts {
  db: Database;
  proofs: Proofs;
  config: { baseUrl: string; limits: PlanLimits };
}

/**
 * Do not call it in a transaction: a proof takes up to a second. Defers to the worker if too many proofs are waiting, or
 * if a logo needs more error correction than requested and `mayRaise` is false.
 */
export async function proveDefaultStyle(
  { db, proofs, config }: ProofParts,
  code: Look & Pick<QrCode, 'workspaceId'>,
  { mayRaise }: { mayRaise: boolean },
): Promise<DefaultStyleOutcome> {
  const style = await findDefaultStyle(db, code.workspaceId);
  if (!style) return {};
  await requireRoomForCodes(db, code.workspaceId, 1, config.limits);
  try {
    const caller = { key: code.workspaceId };
    const { proof: _proof, ...proven } = await proveDesign(
      proofs,
      caller,
      code,
      style.design,
      config.baseUrl,
    );
    const isRaised = proven.errorCorrection !== code.errorCorrection;
    return isRaised && !mayRaise ? { deferred: style.id } : { proven };
  } catch (error) {
    if (error instanceof BusyError) return { deferred: style.id };
    if (error instanceof AppError && error.details) return { refused: error.details };
    throw error;
  }
}

/** Warnings for API clients about a new code without the default style. */
export const missedWarnings = {
  tooMany:
    'The code was created without the default style because too many codes wait for a style. Apply it later.',
  changed:
    'The code was created without the default style because its logo was changed meanwhile. Apply it later.',
};

interface StyledCode {
  code: QrCode;
  /** Set if the code has no design although it could be read in this style. */
  styleMissed?: keyof typeof missedWarnings;
}

export async function createStyledCode(
  db: Database,
  created: QrCodeColumns,
  { proven, deferred }: DefaultStyleOutcome,
  limits: PlanLimits,
): Promise<StyledCode> {
  if (!proven && deferred === undefined) return { code: await insertCode(db, created, limits) };
  const { workspaceId, createdAt } = created;
  return db.transaction(async (transaction) => {
    const errorCorrection = proven?.errorCorrection ?? created.errorCorrection;
    const code = await insertCode(transaction, { ...created, errorCorrection }, limits);
    if (proven) {
      if (await insertDesign(transaction, workspaceId, code.id, proven, createdAt)) return { code };
      const plain = await code
        .$query(transaction)
        .patchAndFetch({ errorCorrection: created.errorCorrection });
      return { code: plain, styleMissed: 'changed' };
    }
    const style = { workspaceId, styleId: String(deferred) };
    return (await defer(transaction, [code.id], style, createdAt))
      ? { code }
      : { code, styleMissed: 'tooMany' };
  });
}

/** The worker applies the default style, because so many proofs take minutes. False if too many codes are waiting. */
export async function createStyledCodes(
  db: Database,
  workspaceId: WorkspaceId,
  created: QrCodeColumns[],
  { limits, now }: { limits: PlanLimits; now: Date },
): Promise<boolean> {
  if (created.length === 0) return true;
  const style = await findDefaultStyle(db, workspaceId);
  if (!style) {
    await insertCodes(db, workspaceId, created, limits);
    return true;
  }
  return db.transaction(async (transaction) => {
    await insertCodes(transaction, workspaceId, created, limits);
    const ids = created.map(({ id }) => id);
    return defer(transaction, ids, { workspaceId, styleId: style.id }, now);
  });
}

/** False if too many codes are waiting. A style deleted meanwhile is ignored. */
async function defer(
  transaction: Database,
  codeIds: string[],
  { workspaceId, styleId }: { workspaceId: WorkspaceId; styleId: string },
  now: Date,
): Promise<boolean> {
  try {
    const added = await addApplication(
      transaction,
      workspaceId,
      { styleId, codeIds, keepsDesigns: true },
      now,
    );
    return added !== undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return true;
    throw error;
  }
}

/** Header value: ASCII without commas. */
export function plainWarning(refused: FieldError[]): string {
  const reasons = refused.map(({ field, message }) => `${field} ${message}`).join('; ');
  return `The code was created without the default style: ${reasons}.`
    .replaceAll(',', ';')
    .replace(/[^\x20-\x7e]/g, '?');
}
