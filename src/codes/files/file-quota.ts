import { invalid } from '../../errors.ts';
import { bytesPerMb } from '../../runtime/units.ts';
import type { Database } from '../../store/database.ts';

/** Of all files of an account; without that of a code which is about to be replaced. */
export async function usedBytes(db: Database, userId: string, exceptCodeId?: string): Promise<number> {
  const query = db('code_files').where({ user_id: userId }).sum('bytes as bytes').first();
  if (exceptCodeId !== undefined) query.whereNot({ code_id: exceptCodeId });
  const row = (await query) as { bytes: number | null } | undefined;
  return row?.bytes ?? 0;
}

/** Throws a validation error where a file of this size is too much for the account. */
export async function requireRoom(
  db: Database,
  { userId, codeId }: { userId: string; codeId?: string | undefined },
  { kind, bytes }: { kind: 'file' | 'photo'; bytes: number },
  quotaBytes: number,
): Promise<void> {
  const used = await usedBytes(db, userId, codeId);
  if (used + bytes <= quotaBytes) return;
  const [has, others, limit] = [bytes, used, quotaBytes].map(megabytes);
  const message = `has ${has} MB, and the other files of the account have ${others} of ${limit} MB that its plan allows: delete one, make this one smaller, or ask the operator for another plan`;
  throw invalid([{ field: kind, message }], { code: 'quota_exceeded' });
}

/** In steps of a tenth, and never rounded to nothing. */
export function megabytes(bytes: number): string {
  const tenths = Math.ceil((10 * bytes) / bytesPerMb);
  return tenths % 10 === 0 ? String(tenths / 10) : (tenths / 10).toFixed(1);
}
