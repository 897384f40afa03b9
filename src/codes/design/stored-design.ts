import { Model, snakeCaseMappers } from 'objection';
import { AppError } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import { lockLogos, lockOwner, type NewLogo, saveLogo } from './stored-logo.ts';
import { type ErrorCorrection, QrCode } from '../qr-code.ts';
import { type Design, normalizeDesign } from './design.ts';
import type { WorkspaceId } from '../../workspaces/workspace.ts';

export class StoredDesign extends Model {
  static override tableName = 'designs';
  static override idColumn = 'code_id';
  static override columnNameMappers = snakeCaseMappers();

  declare codeId: string;
  declare design: Design;
  declare readsAtMm: number;
  /** See `provenPicture`. */
  declare proven: string;
  declare updatedAt: Date;
}

export async function findDesign(db: Database, codeId: string): Promise<StoredDesign | undefined> {
  const stored = await StoredDesign.query(db).findById(codeId);
  // A design from an earlier release lacks newer fields.
  if (stored) stored.design = normalizeDesign(stored.design);
  return stored;
}

/** By code id; codes without a design are absent. */
export async function findDesigns(db: Database, codeIds: string[]): Promise<Map<string, Design>> {
  const stored = await StoredDesign.query(db).whereRaw('code_id = ANY(CAST(? AS uuid[]))', [codeIds]);
  return new Map(stored.map(({ codeId, design }) => [codeId, normalizeDesign(design)]));
}

/** Code fields that affect its design. */
export const lookFields = ['foregroundColor', 'backgroundColor', 'errorCorrection'] as const;
export type CodeLook = Pick<QrCode, (typeof lookFields)[number]>;

export interface ProvenDesign {
  design: Design;
  readsAtMm: number;
  proven: string;
  /** The code before the error correction was raised for the proof. */
  look: CodeLook;
  /** Proven with this level, which the code gets. */
  errorCorrection: ErrorCorrection;
  /** Proven with these colors, which the code gets. Without them, it keeps its own. */
  colors?: Pick<CodeLook, 'foregroundColor' | 'backgroundColor'> | undefined;
  /** Stored with the design. Without it, the design keeps the code's logo. */
  newLogo?: NewLogo | undefined;
  /** Whether the logo may be used elsewhere in the account. */
  sharesLogo?: boolean;
}

/** Called with the stored design before it changes; throws to reject the change. */
type CheckStored = (stored: StoredDesign | undefined) => void;

/** Replaces the design and updates the code. 412 if the code was changed since the proof. */
export async function saveDesign(
  db: Database,
  owned: OwnedCode,
  proven: ProvenDesign,
  now: Date,
  checkStored: CheckStored = () => undefined,
): Promise<void> {
  const savesLogo = proven.newLogo !== undefined;
  await changeDesign(db, owned, { checkStored, savesLogo }, async (transaction, stored, code) => {
    await replaceDesign(transaction, code, stored, proven, now);
    const { errorCorrection, colors } = proven;
    await QrCode.query(transaction)
      .findById(code.id)
      .patch({ ...colors, errorCorrection, updatedAt: now });
  });
}

/** A design proven together with a change of its code. */
export interface ProvenChange extends ProvenDesign {
  /** `updatedAt` of the proven design. */
  savedAt: Date;
}

/**
 * Keeps the design, with its new proof, in the transaction that has locked a code and changed its look. 412 if either
 * was changed by somebody else since the proof.
 */
export async function keepDesign(
  transaction: Database,
  code: QrCode,
  proven: ProvenChange | undefined,
  now: Date,
): Promise<void> {
  const stored = await findDesign(transaction, code.id);
  if (stored?.updatedAt.getTime() !== proven?.savedAt.getTime()) throw changedMeanwhile();
  if (proven) await replaceDesign(transaction, code, stored, proven, now);
}

async function replaceDesign(
  transaction: Database,
  code: LockedCode,
  stored: StoredDesign | undefined,
  { design, readsAtMm, proven, look, newLogo, sharesLogo = false }: ProvenDesign,
  now: Date,
): Promise<void> {
  if (lookFields.some((field) => code[field] !== look[field])) throw changedMeanwhile();
  const { logo } = design;
  const former = stored?.design.logo;
  const known = await lockLogos(transaction, code.workspaceId, [former, logo]);
  if (newLogo) await saveLogo(transaction, code.workspaceId, newLogo, now);
  else if (logo !== null && !(known.has(logo) && (sharesLogo || logo === former)))
    throw logoChangedMeanwhile();
  await StoredDesign.query(transaction)
    .insert({ codeId: code.id, design, readsAtMm, proven, updatedAt: now })
    .onConflict('code_id')
    .merge();
}

/**
 * For a new code. Returns false, without a design, if the logo was deleted meanwhile. With a new logo, call `lockOwner` first.
 */
export async function insertDesign(
  transaction: Database,
  workspaceId: WorkspaceId,
  codeId: string,
  { design, readsAtMm, proven, newLogo }: ProvenDesign,
  now: Date,
): Promise<boolean> {
  const known = await lockLogos(transaction, workspaceId, [design.logo]);
  if (newLogo) await saveLogo(transaction, workspaceId, newLogo, now);
  else if (design.logo !== null && !known.has(design.logo)) return false;
  await StoredDesign.query(transaction).insert({ codeId, design, readsAtMm, proven, updatedAt: now });
  return true;
}

export async function deleteDesign(
  db: Database,
  owned: OwnedCode,
  now: Date,
  checkStored: CheckStored = () => undefined,
): Promise<void> {
  await changeDesign(db, owned, { checkStored }, async (transaction, stored, { id }) => {
    if (!stored) return;
    await StoredDesign.query(transaction).deleteById(id);
    await QrCode.query(transaction).findById(id).patch({ updatedAt: now });
  });
}

/** As it was found: by now, it may be in the trash. */
type OwnedCode = Pick<QrCode, 'id' | 'workspaceId'>;

type LockedCode = OwnedCode & CodeLook;

/** Locks the code while `change` runs. */
export async function changeDesign(
  db: Database,
  { id, workspaceId }: OwnedCode,
  { checkStored, savesLogo = false }: { checkStored: CheckStored; savesLogo?: boolean },
  change: (transaction: Database, stored: StoredDesign | undefined, code: LockedCode) => Promise<void>,
): Promise<void> {
  await db.transaction(async (transaction) => {
    if (savesLogo) await lockOwner(transaction, workspaceId);
    // Locks the code, which serializes changes of its design.
    const code: LockedCode | undefined = await QrCode.query(transaction)
      .findOne({ id, user_id: workspaceId })
      .select('id', 'user_id', 'foreground_color', 'background_color', 'error_correction')
      .forNoKeyUpdate();
    // It was deleted while its design was proven, or moved to the trash.
    if (!code) throw new AppError('not_found', 'There is no such QR code.');
    const stored = await findDesign(transaction, id);
    checkStored(stored);
    await change(transaction, stored, code);
  });
}

const changedMeanwhile = () =>
  new AppError('validation_error', 'The code or its design was changed meanwhile. Repeat your change.', {
    status: 412,
    code: 'version_conflict',
  });

export function logoChangedMeanwhile(): AppError {
  return new AppError('validation_error', 'The logo was changed meanwhile. Repeat your change.', {
    status: 412,
    code: 'version_conflict',
  });
}
