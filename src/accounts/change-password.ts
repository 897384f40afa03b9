import type { Database } from '../store/database.ts';
import { lockUnchanged } from './lock-unchanged.ts';
import { endSessionsOf } from './sessions.ts';
import type { User } from './users.ts';

/**
 * Sets the password, and ends what somebody who knew the old one may have begun: sessions, sign-ins that wait for a second
 * factor, links to a new password, and a change to another email that is not confirmed yet. Fails where `user` has another
 * password by now.
 */
export async function changePassword(
  db: Database,
  user: User,
  passwordHash: string,
  now: Date,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await lockUnchanged(transaction, user);
    await user.$query(transaction).patch({ passwordHash, updatedAt: now });
    await endSessionsOf(transaction, user.id);
    for (const table of ['sign_in_challenges', 'sign_in_links'])
      await transaction(table).where({ user_id: user.id }).delete();
    await transaction('email_confirmations')
      .where({ user_id: user.id })
      .whereRaw('lower(email) <> lower(?)', [user.email])
      .delete();
  });
}
