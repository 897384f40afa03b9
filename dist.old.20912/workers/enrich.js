import { scannedAtOf } from '../src/scans/scan-id.js';
/** Pure. The client's address is used here, and stored nowhere. */
export function enrich(scan, lookups) {
  return {
    id: scan.id,
    qrCodeId: scan.codeId,
    scannedAt: scannedAtOf(scan.id),
    ...lookups.place(scan.address),
    ...lookups.agent(scan.userAgent),
  };
}
//# sourceMappingURL=enrich.js.map
