import type { Database } from '../store/database.ts';
import { forgetAttempts, takeAttempt } from './attempts.ts';
import { verifyPassword } from './passwords.ts';
import { User } from './users.ts';

const mostPerAddress = 30;
const mostPerAccount = 10;

export type SignIn = { user: User } | { refused: 'wrong' } | { refused: 'throttled'; retryAfter: number };

/** An unknown e-mail and a wrong password are the same answer in the same time. */
export async function checkSignIn(
  db: Database,
  { email, password, address }: { email: string; password: string; address: string },
): Promise<SignIn> {
  const account = `signin-account:${email.toLowerCase()}`;
  for (const [subject, most] of [
    [`signin-address:${address}`, mostPerAddress],
    [account, mostPerAccount],
  ] as const) {
    const { admitted, retryAfter } = await takeAttempt(db, subject, most);
    if (!admitted) return { refused: 'throttled', retryAfter };
  }
  const user = await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  if (!(await verifyPassword(user?.passwordHash ?? null, password)) || !user) return { refused: 'wrong' };
  await forgetAttempts(db, account);
  return { user };
}
