import type { Database } from '../store/database.ts';
import { type AttemptLimit, attemptDelay, forgetAttempts, giveBackAttempt, takeAttempt } from './attempts.ts';
import { emailErrors } from './email-address.ts';
import type { Hashing, PasswordHasher } from './password-hasher.ts';
import type { ServiceSecrets } from './secrets.ts';
import type { SpentWindows } from './spent-windows.ts';
import { User } from './users.ts';

/** Mistakes an hour. */
const mostPerAddress = 30;
const mostPerAccount = 10;

export type SignIn = { user: User } | { refused: 'wrong' } | { refused: 'throttled'; retryAfter: number };

interface SignInParts {
  db: Database;
  secrets: ServiceSecrets;
  passwords: PasswordHasher;
  /** Who is known to be over a limit, by address and e-mail: trying again costs nothing for a while. */
  throttled: SpentWindows<{ resetInMs: number }>;
}

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
  { db, secrets, passwords, throttled }: SignInParts,
  { email, password, address, device }: Attempted,
): Promise<SignIn> {
  const stranger = `${secrets.disguiseAddress(address)} ${secrets.disguiseEmail(email)}`;
  const known = device ? undefined : throttled.recall(stranger);
  if (known) return { refused: 'throttled', retryAfter: Math.max(1, Math.ceil(known.resetInMs / 1_000)) };
  passwords.needRoom();
  // What is no e-mail belongs to nobody; and in plain letters, capitals are the same to everybody who compares.
  const user =
    emailErrors('email', email).length > 0
      ? undefined
      : await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  const isKnown = user && device && device.mark === secrets.deviceMark(device.visitor, user);
  const account: AttemptLimit = {
    subject: isKnown ? `signin-device:${device.mark}` : `signin-account:${secrets.disguiseEmail(email)}`,
    mostPerHour: mostPerAccount,
  };
  // What others try from the same address does not keep a known device out.
  const perAddress: AttemptLimit[] = isKnown
    ? []
    : [{ subject: `signin-address:${secrets.disguiseAddress(address)}`, mostPerHour: mostPerAddress }];
  const limits = [...perAddress, account];
  const retryAfter = await attemptDelay(db, limits);
  if (retryAfter > 0) {
    if (!isKnown) throttled.remember(stranger, { resetInMs: retryAfter * 1_000 });
    return { refused: 'throttled', retryAfter };
  }
  const answer = await passwords.withTurn((hashing) =>
    countMistake(db, limits, () => hashing.verify(user?.passwordHash ?? null, password)),
  );
  if (typeof answer === 'number') return { refused: 'throttled', retryAfter: answer };
  if (!answer || !user) return { refused: 'wrong' };
  await forgetAttempts(db, account);
  return { user };
}

/**
 * Each attempt is counted before the password is looked at, so that guesses that arrive together are counted too, and given
 * back unless it was a mistake. Seconds to wait where one of the limits is reached.
 */
async function countMistake(
  db: Database,
  limits: AttemptLimit[],
  isRight: () => ReturnType<Hashing['verify']>,
): Promise<boolean | number> {
  const taken: (() => Promise<void>)[] = [];
  const giveBack = async () => {
    for (const undo of taken) await undo();
  };
  for (const limit of limits) {
    const attempt = await takeAttempt(db, limit);
    if (!attempt.admitted) {
      await giveBack();
      return attempt.retryAfter;
    }
    taken.push(() => giveBackAttempt(db, limit, attempt));
  }
  let isMistake = false;
  try {
    const matches = await isRight();
    isMistake = !matches;
    return matches;
  } finally {
    if (!isMistake) await giveBack();
  }
}
