import type { Database } from '../store/database.ts';
import { findAccountBlock } from './account-blocks.ts';
import {
  type AttemptLimit,
  readAttempts,
  refundAttempt,
  resetAttempts,
  takeAttempt,
} from './request-windows.ts';
import { emailErrors, User } from './users.ts';
import type { OverLimitCache } from './over-limit-cache.ts';
import type { Hashing, PasswordHasher } from './password-hasher.ts';
import { checkProof, createProofChallenge, maxProofLevel } from './proof-of-work.ts';
import type { ServiceSecrets } from './secrets.ts';

/** Failed attempts per hour. */
const maxPerAddress = 30;
const maxPerAccount = 10;
/** After as many failed attempts with a proof from one address, its next proofs take twice as long. */
const failuresPerLevel = 30;

export type SignIn =
  | { user: User }
  /** With the challenge of the next attempt, where this one needed a proof. */
  | { refused: 'wrong'; challenge?: string }
  | { refused: 'blocked' }
  /** The account has had its wrong passwords of this hour. */
  | { refused: 'throttled'; retryAfter: number }
  /** The address has: the next attempt needs a proof of work for this challenge. */
  | { refused: 'unproven'; retryAfter: number; challenge: string };

/** Why a caller is refused. With a level, a proof helps. */
interface Refusal {
  resetInMs: number;
  proofLevel: number | undefined;
}

export type ThrottledCallers = OverLimitCache<Refusal>;

interface SignInParts {
  db: Database;
  secrets: ServiceSecrets;
  passwords: PasswordHasher;
  /** By address and email. */
  throttled: ThrottledCallers;
  now: () => Date;
}

interface Credentials {
  email: string;
  password: string;
  address: string;
  device?: Device | undefined;
  /** The solution of an earlier challenge, or an empty text. */
  proof: string;
}

/** A browser in which the account was signed in before. Failed attempts of others do not lock it out. */
export interface Device {
  visitor: string;
  token: string;
}

/** An unknown email and a wrong password give the same result in the same time. */
export async function checkSignIn(
  { db, secrets, passwords, throttled, now }: SignInParts,
  { email, password, address, device, proof: solution }: Credentials,
): Promise<SignIn> {
  const binding = { address: secrets.hashAddress(address), email: secrets.hashEmail(email) };
  const caller = `${binding.address} ${binding.email}`;
  const proof = checkProof(secrets, binding, solution, now());
  const refuse = ({ resetInMs, proofLevel }: Refusal): SignIn => {
    const retryAfter = Math.max(1, Math.ceil(resetInMs / 1_000));
    if (proofLevel === undefined) return { refused: 'throttled', retryAfter };
    const challenge = createProofChallenge(secrets, binding, proofLevel, now());
    return { refused: 'unproven', retryAfter, challenge };
  };
  const cached = device ? undefined : throttled.get(caller);
  if (cached && (cached.proofLevel === undefined || !proof || proof.level < cached.proofLevel))
    return refuse(cached);

  passwords.assertCapacity(binding.address);
  // A valid email is ASCII, for which lower() in Postgres and toLowerCase() agree.
  const user =
    emailErrors('email', email).length > 0
      ? undefined
      : await User.query(db).whereRaw('lower(email) = lower(?)', [email]).first();
  const isKnownDevice = user && device && secrets.isDeviceToken(device.token, device.visitor, user);
  const account: AttemptLimit = {
    subject: isKnownDevice ? `signin-device:${device.token}` : `signin-account:${binding.email}`,
    maxPerHour: maxPerAccount,
  };
  const ofAddress: AttemptLimit = { subject: `signin-address:${binding.address}`, maxPerHour: maxPerAddress };
  // Refuses nobody: it says how much work the next proof is.
  const proven: AttemptLimit = {
    subject: `signin-proven:${binding.address}`,
    maxPerHour: failuresPerLevel * maxProofLevel,
  };
  const proofLevel = async () =>
    Math.min(
      maxProofLevel,
      Math.floor(((await readAttempts(db, [proven]))[0]?.used ?? 0) / failuresPerLevel),
    );
  // One from before the work rose is none: otherwise the cheap challenges would be collected in advance.
  const proofId = proof && !isKnownDevice && proof.level >= (await proofLevel()) ? proof.id : undefined;
  // Failed attempts of others at the same address lock out neither a known device nor a client with a proof.
  const limits = isKnownDevice || proofId !== undefined ? [account] : [ofAddress, account];

  /** `full`: the limit that is reached. */
  const refuseFull = async (full: AttemptLimit, retryAfter: number): Promise<SignIn> => {
    const refusal = {
      resetInMs: retryAfter * 1_000,
      proofLevel: full === ofAddress ? await proofLevel() : undefined,
    };
    if (!isKnownDevice) throttled.set(caller, refusal);
    return refuse(refusal);
  };
  // The account first: where its limit is reached, no proof helps.
  for (const [index, { retryAfter }] of (await readAttempts(db, limits.toReversed())).entries())
    if (retryAfter > 0) return refuseFull(limits.toReversed()[index] as AttemptLimit, retryAfter);

  const result = await passwords.withSlot(async (hashing) => {
    // Counted here, where the password is checked in any case: a proof is not used up because the service is busy.
    if (proofId !== undefined) {
      const use = await takeAttempt(db, { subject: `signin-proof:${proofId}`, maxPerHour: 1 });
      if (!use.isAllowed) return { full: ofAddress, retryAfter: use.retryAfter };
    }
    return countFailure(db, limits, () => hashing.verify(user?.passwordHash ?? null, password));
  }, binding.address);
  if (typeof result !== 'boolean') return refuseFull(result.full, result.retryAfter);
  if (!result && proofId !== undefined) {
    await takeAttempt(db, proven);
    return { refused: 'wrong', challenge: createProofChallenge(secrets, binding, await proofLevel(), now()) };
  }
  if (!result || !user) return { refused: 'wrong' };
  await resetAttempts(db, account);
  // Only whoever knows the password learns of the block.
  if (await findAccountBlock(db, user.id)) return { refused: 'blocked' };
  return { user };
}

/**
 * Counts an attempt before the password is checked, so that parallel guesses are counted too, and refunds it unless the
 * password was wrong. Returns the limit that is reached, if one is.
 */
async function countFailure(
  db: Database,
  limits: AttemptLimit[],
  verify: () => ReturnType<Hashing['verify']>,
): Promise<boolean | { full: AttemptLimit; retryAfter: number }> {
  const refunds: (() => Promise<void>)[] = [];
  const refundAll = async () => {
    for (const refund of refunds) await refund();
  };
  for (const limit of limits) {
    const attempt = await takeAttempt(db, limit);
    if (!attempt.isAllowed) {
      await refundAll();
      return { full: limit, retryAfter: attempt.retryAfter };
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
