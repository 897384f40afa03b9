import { fileBytesQuota } from '../accounts/plans.ts';
import { User } from '../accounts/users.ts';
import type { Database } from '../store/database.ts';

/** How many bytes of files the plan of an account allows. */
export async function findFileQuota(db: Database, userId: string): Promise<number> {
  const { plan } = await User.query(db).findById(userId).throwIfNotFound();
  return fileBytesQuota[plan];
}
