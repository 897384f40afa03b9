import { isDeepStrictEqual } from 'node:util';
import { Model } from 'objection';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { type Design, normalizeDesign } from '../design/design.ts';
import { AppError, invalid } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import { logoChangedMeanwhile } from '../design/stored-design.ts';
import { lockLogos, lockOwner, type NewLogo, saveLogo } from '../design/stored-logo.ts';
import { type Look, pictureOf, proveDesign } from '../proof/prove-design.ts';
import type { Proofs } from '../proof/proofs.ts';
import type { Caller } from '../../runtime/fair-scheduler.ts';
import { type WorkspaceId, ownedColumns } from '../../workspaces/workspace.ts';

/** Per account. */
export const maxStyles = 50;

/** A named design for many codes. */
export class Style extends Model {
  static override tableName = 'styles';
  static override columnNameMappers = ownedColumns();

  declare id: string;
  declare workspaceId: WorkspaceId;
  declare name: string;
  /** Unique within the account. */
  declare nameKey: string;
  declare design: Design;
  /** The colors that codes get with the design. Both are null if codes keep their own. */
  declare foregroundColor: string | null;
  declare backgroundColor: string | null;
  /** Applied to new codes. At most one per account. */
  declare isDefault: boolean;
  declare createdAt: Date;
  declare updatedAt: Date;
}

/** Equal for names that differ only in case. */
function styleNameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

export type StyleColors = Pick<Style, 'foregroundColor' | 'backgroundColor'>;

/** Codes keep their colors. */
export const noColors: StyleColors = { foregroundColor: null, backgroundColor: null };

interface StyleInput {
  name: string;
  colors?: StyleColors;
  /** Its logo is a stored one of the account, or the new one. */
  design: Design;
  isDefault: boolean;
  newLogo?: NewLogo | undefined;
}

interface StyleChanges {
  name?: string;
  isDefault?: boolean;
  colors?: StyleColors;
  design?: {
    /** The design that was edited. */
    from: Design;
    to: Design;
    newLogo?: NewLogo;
  };
  check?: Check;
}

/** Called with the stored value before it changes; throws to reject the change. */
type Check = (stored: Style) => void;

export async function insertStyle(
  db: Database,
  workspaceId: WorkspaceId,
  { name, design, colors = noColors, isDefault, newLogo }: StyleInput,
  now: Date,
): Promise<Style> {
  return db.transaction(async (transaction) => {
    // Enforces number, names and default for parallel requests.
    await lockOwner(transaction, workspaceId);
    await requireFreeName(transaction, workspaceId, name);
    const count = await Style.query(transaction).where({ user_id: workspaceId }).resultSize();
    if (count >= maxStyles) {
      const message = `An account can have ${maxStyles} styles. Delete one first.`;
      throw new AppError('validation_error', message, { code: 'quota_exceeded' });
    }
    await useLogo(transaction, workspaceId, { design, newLogo }, now);
    if (isDefault) await clearDefault(transaction, workspaceId);
    const style = await Style.query(transaction)
      .insert({
        id: uuidv7({ msecs: now.getTime() }),
        workspaceId,
        name,
        nameKey: styleNameKey(name),
        design,
        ...colors,
        isDefault,
        createdAt: now,
        updatedAt: now,
      })
      .returning('*')
      .first()
      .throwIfNotFound();
    return withWholeDesign(style);
  });
}

/** Newest first. With a page, up to `limit` + 1: the extra one shows that there is a next page. */
export async function findStyles(
  db: Database,
  workspaceId: WorkspaceId,
  page?: { limit: number; cursor?: string | undefined },
): Promise<Style[]> {
  const query = Style.query(db).where({ user_id: workspaceId }).orderBy('id', 'desc');
  if (page) query.limit(page.limit + 1);
  if (page?.cursor !== undefined) query.where('id', '<', page.cursor);
  return (await query).map(withWholeDesign);
}

/** The same 404 for another owner's style, a missing one and a malformed id. */
export async function findStyle(db: Database, workspaceId: WorkspaceId, id: string): Promise<Style> {
  const style = isUuid(id) ? await Style.query(db).findOne({ id, user_id: workspaceId }) : undefined;
  if (!style) throw noSuchStyle();
  return withWholeDesign(style);
}

export async function findDefaultStyle(db: Database, workspaceId: WorkspaceId): Promise<Style | undefined> {
  const style = await Style.query(db).findOne({ user_id: workspaceId, is_default: true });
  return style && withWholeDesign(style);
}

/** 412 if the design was changed while this change was being proven. */
export async function changeStyle(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  { name, design, colors, isDefault, check }: StyleChanges,
  now: Date,
): Promise<Style> {
  return db.transaction(async (transaction) => {
    const stored = await lockStyle(transaction, workspaceId, id);
    check?.(stored);
    if (design && !isDeepStrictEqual(stored.design, design.from)) throw styleChangedMeanwhile();
    if (name !== undefined) await requireFreeName(transaction, workspaceId, name, id);
    if (design) {
      const { to, newLogo } = design;
      await useLogo(transaction, workspaceId, { design: to, newLogo, former: stored.design.logo }, now);
    }
    if (isDefault) await clearDefault(transaction, workspaceId);
    const changed = await Style.query(transaction)
      .findById(id)
      .patch({
        ...(name !== undefined && { name, nameKey: styleNameKey(name) }),
        ...(design && { design: design.to }),
        ...colors,
        ...(isDefault !== undefined && { isDefault }),
        updatedAt: now,
      })
      .returning('*')
      .first()
      .throwIfNotFound();
    return withWholeDesign(changed);
  });
}

/** Codes with this style keep their design. */
export async function removeStyle(
  db: Database,
  workspaceId: WorkspaceId,
  id: string,
  check?: Check,
): Promise<void> {
  await db.transaction(async (transaction) => {
    const stored = await lockStyle(transaction, workspaceId, id);
    check?.(stored);
    await lockLogos(transaction, workspaceId, [stored.design.logo]);
    await Style.query(transaction).deleteById(id);
  });
}

/** Locked before its logos. */
async function lockStyle(transaction: Database, workspaceId: WorkspaceId, id: string): Promise<Style> {
  await lockOwner(transaction, workspaceId);
  const style = isUuid(id)
    ? await Style.query(transaction).findOne({ id, user_id: workspaceId }).forUpdate()
    : undefined;
  if (!style) throw noSuchStyle();
  return withWholeDesign(style);
}

interface LogoUse {
  design: Design;
  newLogo: NewLogo | undefined;
  /** The current logo of a style that is changed. */
  former?: string | null;
}

async function useLogo(
  transaction: Database,
  workspaceId: WorkspaceId,
  { design: { logo }, newLogo, former }: LogoUse,
  now: Date,
): Promise<void> {
  const known = await lockLogos(transaction, workspaceId, [former, logo]);
  if (newLogo) return saveLogo(transaction, workspaceId, newLogo, now);
  if (logo !== null && !known.has(logo)) throw logoChangedMeanwhile();
}

async function requireFreeName(
  transaction: Database,
  workspaceId: WorkspaceId,
  name: string,
  ownId?: string,
): Promise<void> {
  const other = await Style.query(transaction).findOne({
    user_id: workspaceId,
    name_key: styleNameKey(name),
  });
  if (other && other.id !== ownId) {
    throw invalid([{ field: 'name', message: 'is the name of another style: choose another one' }], {
      code: 'name_taken',
    });
  }
}

async function clearDefault(transaction: Database, workspaceId: WorkspaceId): Promise<void> {
  await Style.query(transaction)
    .patch({ isDefault: false })
    .where({ user_id: workspaceId, is_default: true });
}

/** Styles from an earlier release lack newer fields. The ETag depends on the order of fields. */
function withWholeDesign(style: Style): Style {
  style.design = normalizeDesign(style.design);
  return style;
}

function styleChangedMeanwhile(): AppError {
  return new AppError('validation_error', 'The style was changed meanwhile. Repeat your change.', {
    status: 412,
    code: 'version_conflict',
  });
}

function noSuchStyle(): AppError {
  return new AppError('not_found', 'There is no such style.');
}

/** Styles are shown and proven with this code. Its share link has the usual length. */
export const exampleCode: Look = {
  shareToken: 'ExampleABC',
  content: 'https://example.com/',
  errorCorrection: 'M',
  foregroundColor: '#1a1410',
  backgroundColor: '#ffffff',
};

/** The example in the colors of the style. */
export function lookOfStyle({ foregroundColor, backgroundColor }: StyleColors): Look {
  if (foregroundColor === null || backgroundColor === null) return exampleCode;
  return { ...exampleCode, foregroundColor, backgroundColor };
}

export function stylePicture(style: StyleColors & Pick<Style, 'design'>, baseUrl: string) {
  return pictureOf(lookOfStyle(style), style.design, baseUrl);
}

/** Throws a validation error if phones could not even read the example. Each code is proven again. */
export async function proveStyle(
  proofs: Proofs,
  caller: Caller,
  { design, colors = noColors }: Pick<StyleInput, 'design' | 'colors'>,
  baseUrl: string,
  newLogo?: NewLogo,
): Promise<void> {
  await proveDesign(proofs, caller, lookOfStyle(colors), design, baseUrl, { newLogo });
}
