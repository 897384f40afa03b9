import { type Database, queryPrepared } from '../store/database.ts';
import { readHorizon } from './retention.ts';
import type { ScanRow } from './scan.ts';
import { scannedAtOf } from './scan-id.ts';

// Scalar subqueries, which PostgreSQL never turns into joins: each is a probe of an index, however large the tables are.
const statement = {
  name: 'find unrecorded scans',
  text: `
  WITH missing AS MATERIALIZED (
    SELECT given.id, given.qr_code_id
    FROM unnest(CAST($1 AS uuid[]), CAST($2 AS uuid[])) AS given (id, qr_code_id)
    WHERE (SELECT scans.id FROM scans WHERE scans.id = given.id AND scans.qr_code_id = given.qr_code_id) IS NULL
  )
  SELECT id FROM missing
  WHERE (SELECT code.id FROM qr_codes AS code WHERE code.id = missing.qr_code_id) IS NOT NULL
    AND (SELECT dead.id FROM dead_scans AS dead WHERE dead.scan_id = missing.id::text) IS NULL`,
};

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The ids of scans that are neither recorded nor dead letters although their code exists. Without those that can never be
 * recorded: from before the horizon, or with an id that is none.
 */
export async function findUnrecordedScans(
  db: Database,
  scans: Pick<ScanRow, 'id' | 'qrCodeId'>[],
): Promise<string[]> {
  const valid = scans.filter(({ id, qrCodeId }) => uuid.test(id) && uuid.test(qrCodeId));
  if (valid.length === 0) return [];
  const rows = await queryPrepared<{ id: string }>(db, statement, [
    valid.map(({ id }) => id),
    valid.map(({ qrCodeId }) => qrCodeId),
  ]);
  if (rows.length === 0) return [];
  const horizon = await readHorizon(db);
  return rows.map(({ id }) => id).filter((id) => !horizon || scannedAtOf(id) >= horizon);
}
