import { takeAttempt } from '../../accounts/request-windows.ts';
import type { User } from '../../accounts/users.ts';
import type { FieldError } from '../../errors.ts';
import type { PageParts } from '../ui/page.ts';

const maxPasswordChecksPerHour = 20;

/** Changes to an account need its password, so that a stolen session is not enough. */
export async function currentPasswordErrors(
  { db, passwords }: PageParts,
  user: User,
  name: string,
  password: string,
): Promise<FieldError[]> {
  return passwords.withSlot(async ({ verify }) => {
    const limit = { subject: `password-check:${user.id}`, maxPerHour: maxPasswordChecksPerHour };
    const { isAllowed } = await takeAttempt(db, limit);
    if (!isAllowed) return [{ field: name, message: 'was tried too often. Try again in an hour' }];
    const matches = await verify(user.passwordHash, password);
    return matches ? [] : [{ field: name, message: 'This is not your current password' }];
  }, user.id);
}
