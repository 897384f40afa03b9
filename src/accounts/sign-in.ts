import type { Database } from '../store/database.ts';
import { forgetAttempts, takeAttempt } from './attempts.ts';
import { emailFaults } from './email-address.ts';
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
  device?: Device | undefined;
}

/** A browser in which an account was signed in before: it is not held up by what strangers try elsewhere. */
export interface Device {
  visitor: string;
  mark: string;
}

/** An unknown e-mail and a wrong password are the same answer in the same time. */
export async function checkSignIn(
  db: Database,
  secrets: ServiceSecrets,
  { email, password, address, device }: Attempted,
): Promise<SignIn> {
  // What is no e-mail belongs to nobody; and in plain letters, capitals are the same to everybody who compares.
  const user =
    emailFaults('email', email).length > 0
      ? undefined
      : await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  const isKnown = user && device && device.mark === secrets.deviceMark(device.visitor, user);
  const account = isKnown ? `signin-device:${device.mark}` : `signin-account:${secrets.disguiseEmail(email)}`;
  for (const [subject, most] of [
    [`signin-address:${secrets.disguiseAddress(address)}`, mostPerAddress],
    [account, mostPerAccount],
  ] as const) {
    const { admitted, retryAfter } = await takeAttempt(db, subject, most);
    if (!admitted) return { refused: 'throttled', retryAfter };
  }
  if (!(await verifyPassword(user?.passwordHash ?? null, password)) || !user) return { refused: 'wrong' };
  await forgetAttempts(db, account);
  return { user };
}
