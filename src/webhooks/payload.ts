import type { Database } from '../store/database.ts';
import type { Delivery } from './deliveries.ts';

/** A row of `scans`, as JSON. */
interface ScanFields {
  id: string;
  qrCodeId: string;
  country: string;
  city: string | null;
  device: string;
  browser: string;
  os: string;
  latitude: number | null;
  longitude: number | null;
  scannedAt: Date;
}

/** The names of the columns of a code whose values are sent as they are. */
const codeFields = {
  id: 'id',
  name: 'name',
  type: 'type',
  content: 'content',
  shareToken: 'share_token',
  foregroundColor: 'foreground_color',
  backgroundColor: 'background_color',
  size: 'size',
  errorCorrection: 'error_correction',
  category: 'category',
  isPublic: 'is_public',
  isFavorite: 'is_favorite',
} as const;
const codeTimes = { createdAt: 'created_at', updatedAt: 'updated_at', expiresAt: 'expires_at' } as const;

/**
 * The body of a delivery, the same for every attempt. Undefined if nothing is left of it: its scans were deleted with their
 * code, or are past their retention.
 */
export async function renderBody(
  db: Database,
  delivery: Delivery,
  baseUrl: string,
): Promise<string | undefined> {
  const data = delivery.scanIds ? await scansOf(db, delivery) : dataOf(delivery, baseUrl);
  return data && JSON.stringify({ type: delivery.event, timestamp: delivery.happenedAt.toISOString(), data });
}

function dataOf({ data, event, endpointId }: Delivery, baseUrl: string): object {
  if (!data) return { endpointId };
  const code = {
    ...pick(codeFields, (column) => data[column]),
    shareUrl: `${baseUrl}/r/${String(data['share_token'])}`,
    ...pick(codeTimes, (column) => new Date(String(data[column])).toISOString()),
  };
  // The former name beside the new one, for one release.
  const both = { qrCode: code, code };
  return event === 'code.expiring' ? { ...both, daysLeft: data['days_left'] } : both;
}

function pick(columns: Record<string, string>, valueOf: (column: string) => unknown) {
  return Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, valueOf(column)]));
}

async function scansOf(db: Database, { scanCodes, scanIds }: Delivery): Promise<object | undefined> {
  const { rows } = (await db.raw(
    `SELECT scan.id, scan.qr_code_id AS "qrCodeId", country, city, device, browser, os, latitude, longitude,
            scanned_at AS "scannedAt"
     FROM unnest(CAST(:scanCodes AS uuid[]), CAST(:scanIds AS uuid[])) WITH ORDINALITY AS sent (code_id, scan_id, position)
     JOIN scans AS scan ON scan.qr_code_id = sent.code_id AND scan.id = sent.scan_id
     JOIN qr_codes AS code ON code.id = sent.code_id
     ORDER BY sent.position`,
    { scanCodes, scanIds },
  )) as { rows: ScanFields[] };
  return rows.length === 0
    ? undefined
    : { scans: rows.map((row) => ({ ...row, scannedAt: row.scannedAt.toISOString() })) };
}
