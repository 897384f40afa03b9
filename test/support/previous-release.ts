import { v7 as uuidv7 } from 'uuid';
import { dayMs } from '../../src/runtime/units.ts';
import type { ScanRow } from '../../src/scans/scan.ts';
import type { Database } from '../../src/store/database.ts';
import { type Migrations, ownMigrations } from '../../src/store/migrate.ts';

/** The schema of release 0.1, before the scans were partitioned. */
export const previousRelease: Migrations = {
  ...ownMigrations,
  async getMigrations(extensions) {
    const all = await ownMigrations.getMigrations(extensions);
    return all.filter((file) => file < '0012');
  },
};

/** A code of a new account. */
export async function storeCode(db: Database): Promise<string> {
  const [userId, id] = [uuidv7(), uuidv7()];
  const now = new Date();
  await db('users').insert({ id: userId, email: `${userId}@example.com`, created_at: now, updated_at: now });
  await db('qr_codes').insert({
    id,
    user_id: userId,
    share_token: id.slice(-10),
    name: 'Poster',
    type: 'url',
    content: 'https://example.com/',
    foreground_color: '#000000',
    background_color: '#ffffff',
    size: 512,
    error_correction: 'M',
    category: 'General',
    is_public: true,
    is_favorite: false,
    expires_at: new Date(now.getTime() + dayMs),
    created_at: now,
    updated_at: now,
  });
  return id;
}

/** The statement with which workers of release 0.1 record scans; of the dimensions, only the total. */
export async function recordAsPreviousRelease(db: Database, rows: ScanRow[]): Promise<void> {
  await db.raw(
    `WITH given AS MATERIALIZED (
       SELECT * FROM unnest(CAST(:ids AS uuid[]), CAST(:codes AS uuid[]), CAST(:times AS timestamptz[])) AS given (id, qr_code_id, scanned_at)
     ), code AS MATERIALIZED (
       SELECT id FROM qr_codes WHERE id = ANY(CAST(:codes AS uuid[])) ORDER BY id FOR KEY SHARE SKIP LOCKED
     ), fresh AS (
       INSERT INTO scans (id, qr_code_id, scanned_at, country, device, browser, os)
       SELECT given.id, qr_code_id, scanned_at, 'GB', 'mobile', 'Mobile Safari', 'iOS'
       FROM given JOIN code ON code.id = given.qr_code_id
       ORDER BY given.id
       ON CONFLICT (id) DO NOTHING
       RETURNING *
     )
     INSERT INTO scan_counters AS counter (qr_code_id, dimension, day, value, count)
     SELECT qr_code_id, 'total', (scanned_at AT TIME ZONE 'UTC')::date, '', count(*) FROM fresh GROUP BY 1, 3
     ON CONFLICT (qr_code_id, dimension, day, value) DO UPDATE SET count = counter.count + excluded.count`,
    {
      ids: rows.map(({ id }) => id),
      codes: rows.map(({ qrCodeId }) => qrCodeId),
      times: rows.map(({ scannedAt }) => scannedAt),
    },
  );
}
