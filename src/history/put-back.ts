import type { Design } from '../codes/design/design.ts';
import { isDeepStrictEqual } from 'node:util';
import { changedCodeRules, endingRules } from '../codes/code-rules.ts';
import { type CodeChanges, findCode, noSuchCode, updateCode } from '../codes/codes.ts';
import {
  deleteDesign,
  findDesign,
  lookFields,
  type ProvenDesign,
  saveDesign,
} from '../codes/design/stored-design.ts';
import { findOwnLogo } from '../codes/design/stored-logo.ts';
import { putBackFile, removeFile } from '../codes/files/removed-file.ts';
import { isFileAddress } from '../codes/files/upload.ts';
import { endColumns } from '../codes/lifetime.ts';
import { proveDesign } from '../codes/proof/prove-design.ts';
import type { Proofs } from '../codes/proof/proofs.ts';
import { QrCode } from '../codes/qr-code.ts';
import { deletePageLogo, putBackPageLogo } from '../codes/share-page.ts';
import type { Config } from '../config.ts';
import { AppError, type FieldError, invalid } from '../errors.ts';
import type { Caller } from '../runtime/fair-scheduler.ts';
import { type Database, inTransaction } from '../store/database.ts';
import type { WorkspaceId } from '../workspaces/workspace.ts';
import { type CodeState, compareWithVersion, type Difference, type StateField } from './code-state.ts';

// Version n of a code is its state after entry n. Restoring it sets the fields that differ to that state. It takes back
// entry n + 1 without a question; what later entries have changed needs a confirmation. So the undo of entry m restores
// version m - 1 of the fields of m: it conflicts exactly if these were changed again.

export interface PutBackRequest {
  version: number;
  /** Without: all that differ. */
  fields?: readonly StateField[] | undefined;
  /** Which fields to set although they were changed again. True: all. */
  overwrite?: boolean | readonly StateField[] | undefined;
}

export interface PutBackResult {
  code: QrCode;
  /** Empty: the code is like that already, and nothing was changed. */
  restored: Difference[];
}

/** Fields to restore that were changed again since. */
export class PutBackConflict extends AppError {
  readonly conflicts: Difference[];

  constructor(conflicts: Difference[]) {
    const details = conflicts.map(({ field, now, former, changedIn }) => ({
      field,
      message: `is ${shown(now)} since version ${changedIn}, and would become ${shown(former)}`,
    }));
    super(
      'validation_error',
      'Fields that would be restored were changed again since. Send "overwrite": true to restore them anyway, or name others in "fields".',
      { status: 409, code: 'restore_conflict', details },
    );
    this.conflicts = conflicts;
  }
}

const maxShown = 200;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

interface PutBackParts {
  db: Database;
  proofs: Proofs;
  config: Pick<Config, 'baseUrl' | 'abuseContact' | 'qrCodeLifetimeDays'>;
}

type Perform = (db: Database, now: Date, check?: (code: QrCode) => void) => Promise<PutBackResult>;

/**
 * Restores a version of a code by the rules of an edit. Proves the design first, which takes long; what is returned then
 * changes the code, in one transaction.
 */
export async function preparePutBack(
  { db, proofs, config }: PutBackParts,
  caller: Caller,
  { workspaceId, id }: { workspaceId: WorkspaceId; id: string },
  request: PutBackRequest,
): Promise<Perform> {
  const known = await findCode(db, workspaceId, id);
  const wanted = lookAfter(await differencesOf(db, known, request));
  const proven = wanted && (await prove(db, known, wanted));

  async function prove(source: Database, code: QrCode, look: Look): Promise<ProvenDesign | undefined> {
    const design = look.design === undefined ? (await findDesign(source, code.id))?.design : look.design;
    if (!design) return undefined;
    if (design.logo !== null && !(await findOwnLogo(source, workspaceId, design.logo)))
      throw invalid([{ field: 'design', message: 'has a logo that is no longer stored: upload it again' }]);
    const { design: _design, content = code.content, ...changes } = look;
    const { shareToken, foregroundColor, backgroundColor, errorCorrection } = code;
    const stored = { shareToken, content, foregroundColor, backgroundColor, errorCorrection };
    const { proof: _proof, ...rest } = await proveDesign(proofs, caller, stored, design, config.baseUrl, {
      changes,
      keepsErrorCorrection: true,
    });
    return { ...rest, sharesLogo: true };
  }

  return (target, now, check = () => undefined) =>
    inTransaction(target, async (transaction) => {
      const code = await QrCode.query(transaction).findOne({ id, user_id: workspaceId }).forNoKeyUpdate();
      if (!code) throw noSuchCode();
      check(code);
      const restored = await differencesOf(transaction, code, request);
      if (restored.length === 0) return { code, restored };
      // Somebody has changed what was proven.
      if (!isDeepStrictEqual(lookAfter(restored), wanted)) throw changedMeanwhile();
      await requireNoErrors(transaction, code, restored);
      return { code: await apply(transaction, code, restored, now), restored };
    });

  async function requireNoErrors(transaction: Database, code: QrCode, restored: Difference[]): Promise<void> {
    const { afterExpiryUrl, ...fields } = valuesOf(restored);
    const { type, content, errorCorrection } = fields;
    const leadsTo = { ...code, ...defined({ type, content }) };
    const leadsToFile =
      leadsTo.type === 'url' && isFileAddress(config.baseUrl, code.shareToken, leadsTo.content);
    const given = defined(leadsToFile ? { errorCorrection } : { type, content, errorCorrection });
    const errors: FieldError[] = [
      ...(await changedCodeRules(transaction, code, config)(given, new Set())),
      ...(await endingRules(transaction, config)(defined({ afterExpiryUrl }), new Set())),
    ];
    if (errors.length > 0) throw invalid(errors);
  }

  /** If the design itself is not restored, it must still be the one that was proven. */
  async function keepProven(
    transaction: Database,
    code: QrCode,
    restored: Design | undefined,
    now: Date,
  ): Promise<void> {
    const stored = restored ?? (await findDesign(transaction, code.id))?.design;
    if (!isDeepStrictEqual(stored, proven?.design)) throw changedMeanwhile();
    if (proven) await saveDesign(transaction, code, proven, now);
  }

  async function apply(
    transaction: Database,
    code: QrCode,
    restored: Difference[],
    now: Date,
  ): Promise<QrCode> {
    const { design, pageLogo, file, expiresAt, ...columns } = valuesOf(restored);
    if (design === null) await deleteDesign(transaction, code, now);
    else if (wanted) await keepProven(transaction, code, design, now);
    // Before the content: the database deletes the file of a code that leads elsewhere.
    const { now: current } = restored.find(({ field }) => field === 'file') ?? {};
    if (current) await removeFile(transaction, code, (current as NonNullable<CodeState['file']>).kind, now);
    const changes: CodeChanges = {
      ...columns,
      ...(expiresAt !== undefined &&
        endColumns(expiresAt === null ? null : new Date(expiresAt), config.qrCodeLifetimeDays, now)),
    };
    const changed = await updateCode(transaction, code, changes, now);
    if (file) await putBackFile(transaction, changed, file.id, now);
    if (pageLogo === null) await deletePageLogo(transaction, code, now);
    else if (pageLogo) await putBackPageLogo(transaction, changed, pageLogo, now);
    return (await QrCode.query(transaction).findById(code.id)) ?? changed;
  }
}

/** As `preparePutBack`, at once. */
export async function putBack(
  parts: PutBackParts,
  caller: Caller,
  code: { workspaceId: WorkspaceId; id: string },
  request: PutBackRequest & { now: Date },
): Promise<PutBackResult> {
  const perform = await preparePutBack(parts, caller, code, request);
  return perform(parts.db, request.now);
}

/** What restoring would set. Throws if it needs a confirmation. */
async function differencesOf(
  db: Database,
  code: QrCode,
  { version, fields, overwrite = false }: PutBackRequest,
): Promise<Difference[]> {
  const all = await compareWithVersion(db, code, version);
  const wanted = fields ? all.filter(({ field }) => fields.includes(field)) : all;
  const mayOverwrite = (field: StateField) =>
    typeof overwrite === 'boolean' ? overwrite : overwrite.includes(field);
  const conflicts = wanted.filter(({ field, changedIn }) => changedIn > version + 1 && !mayOverwrite(field));
  if (conflicts.length > 0) throw new PutBackConflict(conflicts);
  return wanted;
}

type Values = Partial<CodeState>;

function valuesOf(differences: Difference[]): Values {
  return Object.fromEntries(differences.map(({ field, former }) => [field, former]));
}

type Look = Pick<Values, (typeof lookFields)[number] | 'content' | 'design'>;

/** The fields that a proof depends on. Undefined: the picture stays as it is. */
function lookAfter(differences: Difference[]): Look | undefined {
  const { design, content, foregroundColor, backgroundColor, errorCorrection } = valuesOf(differences);
  const look = defined({ design, foregroundColor, backgroundColor, errorCorrection });
  return Object.keys(look).length === 0 ? undefined : { ...look, ...defined({ content }) };
}

function defined<Given extends object>(given: Given) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Given]?: Exclude<Given[Name], undefined>;
  };
}

function changedMeanwhile(): AppError {
  return new AppError('validation_error', 'The code was changed meanwhile. Repeat your change.', {
    status: 412,
    code: 'version_conflict',
  });
}
