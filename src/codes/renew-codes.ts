import type { Database } from '../store/database.ts';
import { endColumns, expiryAfterScan, hasDefaultEnd } from './lifetime.ts';
import { QrCode } from './qr-code.ts';

/**
 * Renews the codes that were scanned in the second half of their default lifetime; `scans` has the latest scan of each. Skips
 * codes that another transaction has locked, and returns their ids. Does not change `updatedAt`.
 */
export async function renewCodes(
  db: Database,
  scans: ReadonlyMap<string, Date>,
  lifetimeDays: number,
): Promise<string[]> {
  const ids = [...scans.keys()];
  return db.transaction(async (transaction) => {
    const codes = await QrCode.query(transaction)
      .select('id', 'created_at', 'expires_at', 'default_expires_at')
      .whereRaw('id = ANY(?::uuid[])', [ids])
      .orderBy('id')
      .forNoKeyUpdate()
      .skipLocked();
    const changes = codes.flatMap((code) => {
      const expiresAt = expiryAfterScan(code, scans.get(code.id) ?? new Date(0), lifetimeDays);
      if (expiresAt) return [{ id: code.id, expiresAt, defaultExpiresAt: expiresAt }];
      // Stored, so that the chosen end of a code of an older release is not looked at with every scan.
      const isUndecided = code.defaultExpiresAt === null && !hasDefaultEnd(code, lifetimeDays);
      return isUndecided ? [{ id: code.id, ...endColumns(code.expiresAt, lifetimeDays, new Date()) }] : [];
    });
    if (changes.length > 0) await storeEnds(transaction, changes);
    if (codes.length === ids.length) return [];
    return findLocked(transaction, ids, new Set(codes.map(({ id }) => id)));
  });
}

async function storeEnds(
  db: Database,
  changes: Pick<QrCode, 'id' | 'expiresAt' | 'defaultExpiresAt'>[],
): Promise<void> {
  await db.raw(
    `UPDATE qr_codes SET expires_at = change.expires_at, default_expires_at = change.default_expires_at
     FROM unnest(CAST(:ids AS uuid[]), CAST(:ends AS timestamptz[]), CAST(:defaults AS timestamptz[]))
       AS change (id, expires_at, default_expires_at)
     WHERE qr_codes.id = change.id`,
    {
      ids: changes.map(({ id }) => id),
      ends: changes.map(({ expiresAt }) => expiresAt),
      defaults: changes.map(({ defaultExpiresAt }) => defaultExpiresAt),
    },
  );
}

/** The others were deleted. */
async function findLocked(db: Database, ids: string[], held: Set<string>): Promise<string[]> {
  const rows = await QrCode.query(db).select('id').whereRaw('id = ANY(?::uuid[])', [ids]);
  return rows.flatMap(({ id }) => (held.has(id) ? [] : id));
}
