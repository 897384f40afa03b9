import type { ErrorCorrection } from '../qr-code.ts';

/** UTF-8 bytes that a QR code of version 40 holds in byte mode. */
export const capacityBytes: Record<ErrorCorrection, number> = { L: 2953, M: 2331, Q: 1663, H: 1273 };

export const maxContentBytes = capacityBytes.L;
