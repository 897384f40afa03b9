import { Model, snakeCaseMappers } from 'objection';
import type { Database } from '../store/database.ts';
import { logoChangedMeanwhile } from './design/stored-design.ts';
import { lockLogos, lockOwner, type NewLogo, saveLogo } from './design/stored-logo.ts';

/** The colors and the logo of an account, to be used for codes, templates and share pages. */
export class Brand extends Model {
  static override tableName = 'brands';
  static override idColumn = 'user_id';
  static override columnNameMappers = snakeCaseMappers();

  declare userId: string;
  declare foregroundColor: string;
  declare backgroundColor: string;
  /** Of share pages. Null: the usual one. */
  declare pageColor: string | null;
  /** Id of a stored logo. */
  declare logo: string | null;
  declare updatedAt: Date;
}

export async function findBrand(db: Database, ownerId: string): Promise<Brand | undefined> {
  return Brand.query(db).findById(ownerId);
}

interface BrandInput extends Pick<Brand, 'foregroundColor' | 'backgroundColor' | 'pageColor' | 'logo'> {
  /** `logo` has its id. */
  newLogo?: NewLogo | undefined;
}

/** 412 if the logo that it keeps was removed meanwhile. */
export async function saveBrand(
  db: Database,
  ownerId: string,
  { newLogo, ...brand }: BrandInput,
  now: Date,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await lockOwner(transaction, ownerId);
    const former = await findBrand(transaction, ownerId);
    const known = await lockLogos(transaction, ownerId, [former?.logo, brand.logo]);
    if (newLogo) await saveLogo(transaction, ownerId, newLogo, now);
    else if (brand.logo !== null && !known.has(brand.logo)) throw logoChangedMeanwhile();
    await Brand.query(transaction)
      .insert({ ...brand, userId: ownerId, updatedAt: now })
      .onConflict('user_id')
      .merge();
  });
}
