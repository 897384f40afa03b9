import type { Database } from '../store/database.ts';
import type { Delivery } from './deliveries.ts';

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

interface PayloadParts {
  baseUrl: string;
  /** Reads scans as the API presents them: without those that were deleted. */
  findScans(db: Database, scans: { codeIds: string[]; ids: string[] }): Promise<object[]>;
}

/**
 * The body of a delivery, the same for every attempt. Undefined if nothing is left of it: its scans were deleted with their
 * code, or are past their retention.
 */
export async function renderBody(
  db: Database,
  delivery: Delivery,
  { baseUrl, findScans }: PayloadParts,
): Promise<string | undefined> {
  const { scanCodes, scanIds } = delivery;
  const scans = scanIds ? await findScans(db, { codeIds: scanCodes ?? [], ids: scanIds }) : undefined;
  if (scans?.length === 0) return undefined;
  const data = scans ? { scans } : dataOf(delivery, baseUrl);
  return JSON.stringify({ type: delivery.event, timestamp: delivery.happenedAt.toISOString(), data });
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
