import { AppError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import type { User } from './users.ts';

/** Of a change that needs the password, where that was replaced while it was checked. */
export function changedMeanwhile(): AppError {
  return new AppError('validation_error', 'The account was changed in the meantime. Sign in again.', {
    status: 409,
  });
}

/** Locks the account until the end of the transaction. Fails where its password is not the one that was checked any more. */
export async function lockUnchanged(
  transaction: Database,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
): Promise<void> {
  const row = (await transaction('users').where({ id }).forUpdate().first('password_hash')) as
    | { password_hash: string | null }
    | undefined;
  if (!row || row.password_hash !== passwordHash) throw changedMeanwhile();
}
