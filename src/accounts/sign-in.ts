import type { Database } from '../store/database.ts';
import { findAccountBlock } from './account-blocks.ts';
import {
  type AttemptLimit,
  attemptRetryAfter,
  refundAttempt,
  resetAttempts,
  takeAttempt,
} from './attempts.ts';
import { emailErrors } from './email-address.ts';
import type { OverLimitCache } from './over-limit-cache.ts';
import type { Hashing, PasswordHasher } from './password-hasher.ts';
import type { ServiceSecrets } from './secrets.ts';
import { User } from './users.ts';

/** Failed attempts per hour. */
const maxPerAddress = 30;
const maxPerAccount = 10;

export type SignIn =
  | { user: User }
  | { refused: 'wrong' }
  | { refused: 'blocked' }
  | { refused: 'throttled'; retryAfter: number };

interface SignInParts {
  db: Database;
  secrets: ServiceSecrets;
  passwords: PasswordHasher;
  /** By address and email. */
  throttled: OverLimitCache<{ resetInMs: number }>;
}

interface Credentials {
  email: string;
  password: string;
  address: string;
  device?: Device | undefined;
}

/** A browser in which the account was signed in before. Failed attempts of others do not lock it out. */
export interface Device {
  visitor: string;
  token: string;
}

/** An unknown email and a wrong password give the same result in the same time. */
export async function checkSignIn(
  { db, secrets, passwords, throttled }: SignInParts,
  { email, password, address, device }: Credentials,
): Promise<SignIn> {
  const [hashedAddress, hashedEmail] = [secrets.hashAddress(address), secrets.hashEmail(email)];
  const caller = `${hashedAddress} ${hashedEmail}`;
  const cached = device ? undefined : throttled.get(caller);
  if (cached) return { refused: 'throttled', retryAfter: Math.max(1, Math.ceil(cached.resetInMs / 1_000)) };
  passwords.assertCapacity(hashedAddress);
  // A valid email is ASCII, for which lower() in Postgres and toLowerCase() agree.
  const user =
    emailErrors('email', email).length > 0
      ? undefined
      : await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  const isKnownDevice = user && device && secrets.isDeviceToken(device.token, device.visitor, user);
  const account: AttemptLimit = {
    subject: isKnownDevice ? `signin-device:${device.token}` : `signin-account:${hashedEmail}`,
    maxPerHour: maxPerAccount,
  };
  // Failed attempts of others at the same address do not lock out a known device.
  const perAddress: AttemptLimit[] = isKnownDevice
    ? []
    : [{ subject: `signin-address:${hashedAddress}`, maxPerHour: maxPerAddress }];
  const limits = [...perAddress, account];
  const retryAfter = await attemptRetryAfter(db, limits);
  if (retryAfter > 0) {
    if (!isKnownDevice) throttled.set(caller, { resetInMs: retryAfter * 1_000 });
    return { refused: 'throttled', retryAfter };
  }
  const result = await passwords.withSlot(
    (hashing) => countFailure(db, limits, () => hashing.verify(user?.passwordHash ?? null, password)),
    hashedAddress,
  );
  if (typeof result === 'number') return { refused: 'throttled', retryAfter: result };
  if (!result || !user) return { refused: 'wrong' };
  await resetAttempts(db, account);
  // Only whoever knows the password learns of the block.
  if (await findAccountBlock(db, user.id)) return { refused: 'blocked' };
  return { user };
}

/**
 * Counts an attempt before the password is checked, so that parallel guesses are counted too, and refunds it unless the
 * password was wrong. Returns the seconds to wait where a limit is reached.
 */
async function countFailure(
  db: Database,
  limits: AttemptLimit[],
  verify: () => ReturnType<Hashing['verify']>,
): Promise<boolean | number> {
  const refunds: (() => Promise<void>)[] = [];
  const refundAll = async () => {
    for (const refund of refunds) await refund();
  };
  for (const limit of limits) {
    const attempt = await takeAttempt(db, limit);
    if (!attempt.isAllowed) {
      await refundAll();
      return attempt.retryAfter;
    }
    refunds.push(() => refundAttempt(db, limit, attempt));
  }
  let isWrong = false;
  try {
    const matches = await verify();
    isWrong = !matches;
    return matches;
  } finally {
    if (!isWrong) await refundAll();
  }
}
