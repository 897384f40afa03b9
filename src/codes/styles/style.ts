import { Model, snakeCaseMappers } from 'objection';
import type { Design } from '../design/design.ts';

/** Of an account. */
export const maxStyles = 50;

/** A design with a name, to be used for many codes. */
export class Style extends Model {
  static override tableName = 'styles';
  static override columnNameMappers = snakeCaseMappers();

  declare id: string;
  declare userId: string;
  declare name: string;
  /** Unique within the account. */
  declare nameKey: string;
  declare design: Design;
  /** New codes get it. At most one of an account. */
  declare isDefault: boolean;
  declare createdAt: Date;
  declare updatedAt: Date;
}

/** The same for names that differ in case only. */
export function styleNameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
