import { Model } from 'objection';
import type { Database } from '../store/database.ts';
import { logoChangedMeanwhile } from './design/stored-design.ts';
import { lockLogos, lockOwner, type NewLogo, saveLogo } from './design/stored-logo.ts';
import { type WorkspaceId, ownedColumns } from '../workspaces/workspace.ts';

/** The colors and the logo of an account, to be used for codes, templates and share pages. */
export class Brand extends Model {
  static override tableName = 'brands';
  static override idColumn = 'user_id';
  static override columnNameMappers = ownedColumns();

  declare workspaceId: WorkspaceId;
  declare foregroundColor: string;
  declare backgroundColor: string;
  /** Of share pages. Null: the usual one. */
  declare pageColor: string | null;
  /** Id of a stored logo. */
  declare logo: string | null;
  declare updatedAt: Date;
}

export async function findBrand(db: Database, workspaceId: WorkspaceId): Promise<Brand | undefined> {
  return Brand.query(db).findById(workspaceId);
}

interface BrandInput extends Pick<Brand, 'foregroundColor' | 'backgroundColor' | 'pageColor' | 'logo'> {
  /** `logo` has its id. */
  newLogo?: NewLogo | undefined;
}

/** 412 if the logo that it keeps was removed meanwhile. */
export async function saveBrand(
  db: Database,
  workspaceId: WorkspaceId,
  { newLogo, ...brand }: BrandInput,
  now: Date,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await lockOwner(transaction, workspaceId);
    const former = await findBrand(transaction, workspaceId);
    const known = await lockLogos(transaction, workspaceId, [former?.logo, brand.logo]);
    if (newLogo) await saveLogo(transaction, workspaceId, newLogo, now);
    else if (brand.logo !== null && !known.has(brand.logo)) throw logoChangedMeanwhile();
    await Brand.query(transaction)
      .insert({ ...brand, workspaceId, updatedAt: now })
      .onConflict('user_id')
      .merge();
  });
}
