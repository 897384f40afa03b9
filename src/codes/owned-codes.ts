import type { Database } from '../store/database.ts';
import { QrCode } from './qr-code.ts';

const codesPerRead = 200;

/** All codes of an account, oldest first, in batches. */
export async function* ownedCodes(db: Database, ownerId: string): AsyncGenerator<QrCode[]> {
  for (let after: string | undefined; ; ) {
    const query = QrCode.query(db).where({ user_id: ownerId }).orderBy('id').limit(codesPerRead);
    if (after !== undefined) query.where('id', '>', after);
    const codes = await query;
    if (codes.length > 0) yield codes;
    if (codes.length < codesPerRead) return;
    after = codes.at(-1)?.id;
  }
}
