import { LRUCache } from 'lru-cache';
import { renewCodes } from '../src/codes/lifetime.ts';
import type { ScanRow } from '../src/scans/scan.ts';
import type { Database } from '../src/store/database.ts';
import type { Log } from '../src/telemetry/log.ts';
import { throttle } from '../src/telemetry/throttle.ts';

/** Codes that are being edited, and those of an outage, are tried again with later scans. */
const waitingCodes = { max: 10_000, ttl: 600_000 };
const retryMs = 1_000;

interface RenewalOptions {
  db: Database;
  lifetimeDays: number;
  log: Log;
  elapsedMs?: () => number;
}

/** Renews codes after their scans were recorded. Never rejects: the scans are recorded in any case. */
export type RenewScannedCodes = (rows: ScanRow[], dueCodes: string[] | undefined) => Promise<void>;

export function createCodeRenewals({
  db,
  lifetimeDays,
  log,
  elapsedMs = () => performance.now(),
}: RenewalOptions): RenewScannedCodes {
  const waiting = new LRUCache<string, Date>(waitingCodes);
  let retryAt = 0;
  const logFailed = throttle((err, times) =>
    log.warn({ err, times }, 'scanned codes could not be renewed; the next scan tries again'),
  );

  /** Returns the codes to try again. */
  async function renew(scans: Map<string, Date>): Promise<string[]> {
    try {
      return await renewCodes(db, scans, lifetimeDays);
    } catch (err) {
      logFailed(err);
      return [...scans.keys()];
    }
  }

  return async (rows, dueCodes = []) => {
    const isRetry = waiting.size > 0 && elapsedMs() >= retryAt;
    if (dueCodes.length === 0 && !isRetry) return;
    const scans = isRetry ? new Map(waiting.entries()) : new Map<string, Date>();
    if (isRetry) waiting.clear();
    for (const [id, scannedAt] of latestScans(rows, new Set(dueCodes))) scans.set(id, scannedAt);
    const left = await renew(scans);
    if (left.length > 0) retryAt = elapsedMs() + retryMs;
    for (const id of left) waiting.set(id, scans.get(id) ?? new Date(0));
  };
}

function latestScans(rows: ScanRow[], codeIds: Set<string>): Map<string, Date> {
  const latest = new Map<string, Date>();
  for (const { qrCodeId, scannedAt } of rows) {
    if (!codeIds.has(qrCodeId)) continue;
    const known = latest.get(qrCodeId);
    if (!known || known < scannedAt) latest.set(qrCodeId, scannedAt);
  }
  return latest;
}
