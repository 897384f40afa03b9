import type { Database } from '../store/database.ts';
import { forgetAttempts, takeAttempt } from './attempts.ts';
import { verifyPassword } from './passwords.ts';
import type { ServiceSecrets } from './secrets.ts';
import { User } from './users.ts';

const mostPerAddress = 30;
const mostPerAccount = 10;

export type SignIn = { user: User } | { refused: 'wrong' } | { refused: 'throttled'; retryAfter: number };

interface Attempted {
  email: string;
  password: string;
  address: string;
  /** Of a browser in which this account was signed in before: it is not held up by what strangers try elsewhere. */
  deviceMark?: string | undefined;
}

/** An unknown e-mail and a wrong password are the same answer in the same time. */
export async function checkSignIn(
  db: Database,
  secrets: ServiceSecrets,
  { email, password, address, deviceMark }: Attempted,
): Promise<SignIn> {
  const account = deviceMark
    ? `signin-device:${deviceMark}`
    : `signin-account:${secrets.disguiseEmail(email)}`;
  for (const [subject, most] of [
    [`signin-address:${secrets.disguiseAddress(address)}`, mostPerAddress],
    [account, mostPerAccount],
  ] as const) {
    const { admitted, retryAfter } = await takeAttempt(db, subject, most);
    if (!admitted) return { refused: 'throttled', retryAfter };
  }
  // Postgres does not even look for a text with a NUL in it.
  const user = email.includes('\0')
    ? undefined
    : await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  if (!(await verifyPassword(user?.passwordHash ?? null, password)) || !user) return { refused: 'wrong' };
  await forgetAttempts(db, account);
  return { user };
}
