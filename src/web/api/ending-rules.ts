import { findHostBlocks } from '../../codes/blocks.ts';
import type { CodeChanges } from '../../codes/codes.ts';
import { contentErrors } from '../../codes/content/content-errors.ts';
import { endColumns } from '../../codes/lifetime.ts';
import type { QrCode } from '../../codes/qr-code.ts';
import type { Database } from '../../store/database.ts';
import type { BodyRules } from './operation.ts';
import { hostErrors, type RuleConfig } from './qr-code-rules.ts';

export interface Ending {
  expiresAt?: string | null;
  afterExpiryUrl?: string | null;
}

/** Those of a content of type `url`. */
export function endingRules(db: Database, config: RuleConfig): BodyRules<Ending> {
  return async ({ afterExpiryUrl }) => {
    if (afterExpiryUrl === undefined || afterExpiryUrl === null) return [];
    const url = { content: afterExpiryUrl, type: 'url' as const, errorCorrection: undefined };
    const errors = contentErrors(url, config.baseUrl);
    const found =
      errors.length > 0
        ? errors
        : await hostErrors((hosts) => findHostBlocks(db, hosts), 'url', afterExpiryUrl, config);
    return found.map(({ message }) => ({ field: 'afterExpiryUrl', message }));
  };
}

export function endingChanges(
  code: QrCode,
  { expiresAt, afterExpiryUrl }: Ending,
  lifetimeDays: number,
  now: Date,
): CodeChanges {
  const end = expiresAt === undefined ? {} : endChanges(code, expiresAt, lifetimeDays, now);
  return { ...end, ...(afterExpiryUrl !== undefined && { afterExpiryUrl }) };
}

/** The end that a code already has is no choice: clients may send back what they read. */
function endChanges(code: QrCode, expiresAt: string | null, lifetimeDays: number, now: Date): CodeChanges {
  const chosen = expiresAt === null ? null : new Date(expiresAt);
  if (chosen?.getTime() === code.expiresAt.getTime()) return { expiresAt: chosen };
  return endColumns(chosen, lifetimeDays, now);
}
