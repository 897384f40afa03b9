import { Model, snakeCaseMappers } from 'objection';
import { AppError } from '../../errors.ts';
import type { Database } from '../../store/database.ts';
import { type Design, normalizeDesign } from './design.ts';

/** The design of a code, and its proof. */
export class StoredDesign extends Model {
  static override tableName = 'designs';
  static override idColumn = 'code_id';
  static override columnNameMappers = snakeCaseMappers();

  declare codeId: string;
  declare design: Design;
  declare readsAtMm: number;
  /** Identifies the picture that was proven. */
  declare proven: string;
  declare updatedAt: Date;
}

/** Undefined for a code without a design. */
export async function findDesign(db: Database, codeId: string): Promise<StoredDesign | undefined> {
  const stored = await StoredDesign.query(db).findById(codeId);
  // One that an earlier release has stored lacks what was added since.
  if (stored) stored.design = normalizeDesign(stored.design);
  return stored;
}

export interface ProvenDesign {
  design: Design;
  readsAtMm: number;
  proven: string;
}

/** Replaces the design of the code, which counts as a change of the code. */
export async function saveDesign(
  db: Database,
  codeId: string,
  { design, readsAtMm, proven }: ProvenDesign,
  now: Date,
): Promise<void> {
  const { rowCount } = (await db.raw(
    `WITH changed AS (UPDATE qr_codes SET updated_at = :now WHERE id = :codeId RETURNING id)
     INSERT INTO designs (code_id, design, reads_at_mm, proven, updated_at)
     SELECT id, CAST(:design AS jsonb), CAST(:readsAtMm AS int), CAST(:proven AS text), CAST(:now AS timestamptz)
     FROM changed
     ON CONFLICT (code_id) DO UPDATE SET design = excluded.design, reads_at_mm = excluded.reads_at_mm,
       proven = excluded.proven, updated_at = excluded.updated_at`,
    { codeId, design: JSON.stringify(design), readsAtMm, proven, now },
  )) as { rowCount: number };
  // The code was deleted while its design was proven.
  if (rowCount === 0) throw new AppError('not_found', 'There is no such QR code.');
}

/** Does nothing for a code without a design. */
export async function deleteDesign(db: Database, codeId: string, now: Date): Promise<void> {
  await db.raw(
    `WITH deleted AS (DELETE FROM designs WHERE code_id = :codeId RETURNING code_id)
     UPDATE qr_codes SET updated_at = :now FROM deleted WHERE id = code_id`,
    { codeId, now },
  );
}
