import type { Database } from '../store/database.ts';
import type { ScanRow } from './scan.ts';

/** The ids of scans that are not in the table although their code exists. */
export async function findMissingScans(
  db: Database,
  scans: Pick<ScanRow, 'id' | 'qrCodeId'>[],
): Promise<string[]> {
  const { rows } = (await db.raw(
    `SELECT given.id FROM unnest(CAST(:ids AS uuid[]), CAST(:codes AS uuid[])) AS given (id, qr_code_id)
     WHERE NOT EXISTS (SELECT FROM scans WHERE scans.id = given.id AND scans.qr_code_id = given.qr_code_id)
       AND EXISTS (SELECT FROM qr_codes WHERE qr_codes.id = given.qr_code_id)`,
    { ids: scans.map(({ id }) => id), codes: scans.map(({ qrCodeId }) => qrCodeId) },
  )) as { rows: { id: string }[] };
  return rows.map(({ id }) => id);
}
