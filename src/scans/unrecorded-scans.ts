import { type Database, queryPrepared } from '../store/database.ts';
import { readHorizon } from './partitions.ts';
import { scannedAtOf } from './scan-id.ts';
import type { ScanRow } from './scan.ts';

type ScanKey = Pick<ScanRow, 'id' | 'qrCodeId'>;

// The ids of a code are looked up together, which takes a quarter of the time of one lookup for each. The first and the last
// id leave only the partitions of that time.
const countRecorded = {
  name: 'count recorded scans',
  text: `
  SELECT sum((
    SELECT count(*) FROM scans
    WHERE scans.qr_code_id = part.qr_code_id AND scans.id = ANY((CAST($1 AS uuid[]))[part.first:part.last])
      AND scans.id BETWEEN CAST($5 AS uuid) AND CAST($6 AS uuid)
  )) AS count
  FROM unnest(CAST($2 AS uuid[]), CAST($3 AS integer[]), CAST($4 AS integer[])) AS part (qr_code_id, first, last)`,
};

// Scalar subqueries, which PostgreSQL never turns into joins: each is a probe of an index, however large the tables are.
const findUnrecorded = {
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
export async function findUnrecordedScans(db: Database, given: ScanKey[]): Promise<string[]> {
  const scans = sortedByCode(given.filter(({ id, qrCodeId }) => uuid.test(id) && uuid.test(qrCodeId)));
  if (scans.length === 0 || (await areAllRecorded(db, scans))) return [];
  const rows = await queryPrepared<{ id: string }>(db, findUnrecorded, [
    scans.map(({ id }) => id),
    scans.map(({ qrCodeId }) => qrCodeId),
  ]);
  if (rows.length === 0) return [];
  const horizon = await readHorizon(db);
  return rows.map(({ id }) => id).filter((id) => !horizon || scannedAtOf(id) >= horizon);
}

/** Without duplicates. */
function sortedByCode(scans: ScanKey[]): ScanKey[] {
  const keyOf = ({ id, qrCodeId }: ScanKey) => `${qrCodeId} ${id}`;
  const byKey = new Map(scans.map((scan) => [keyOf(scan), scan]));
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, scan]) => scan);
}

async function areAllRecorded(db: Database, scans: ScanKey[]): Promise<boolean> {
  const codes: string[] = [];
  const firsts: number[] = [];
  const lasts: number[] = [];
  for (const [index, { qrCodeId }] of scans.entries()) {
    if (codes.at(-1) !== qrCodeId) {
      codes.push(qrCodeId);
      firsts.push(index + 1);
    }
    lasts[codes.length - 1] = index + 1;
  }
  const ids = scans.map(({ id }) => id);
  const inOrder = ids.toSorted();
  const bounds = [inOrder[0], inOrder.at(-1)];
  const [row] = await queryPrepared<{ count: string }>(db, countRecorded, [
    ids,
    codes,
    firsts,
    lasts,
    ...bounds,
  ]);
  return Number(row?.count) === scans.length;
}
