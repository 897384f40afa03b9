import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError } from 'commander';
import { createApiKey, listApiKeys } from '../accounts/api-keys.ts';
import { hashPassword } from '../accounts/password-hash.ts';
import { newPassword } from '../accounts/passwords.ts';
import { createUser, deleteUser, findUserByEmail, setPlan, type User } from '../accounts/users.ts';
import { createCode, updateCode } from '../codes/codes.ts';
import { AppError } from '../errors.ts';
import { recordScans } from '../scans/record-scans.ts';
import type { ScanRow } from '../scans/scan.ts';
import type { Database } from '../store/database.ts';
import { parseEmail } from './accounts.ts';
import { demoCodes } from './demo-codes.ts';
import { type MadeCode, makeDemoScans, startOfDay } from './demo-scans.ts';
import { print, say } from './say.ts';
import { withDatabase } from './with-database.ts';

const batchSize = 500;
/** They are made in memory, so that they can be recorded in order. */
const mostScans = 2_000_000;
/** A year has passed since the first codes were made; they are to be alive for another. */
const lifetimeDays = 730;
const dayMs = 86_400_000;
/** Tells an account that this command has made from one that is somebody's. */
const keyName = 'qrelay demo';

interface DemoOptions {
  email: string;
  scans: number;
  seed: number;
  reset?: boolean;
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('Make an account to look at: ten codes, one of each type, and a year of scans')
    .option('--email <email>', "the account's e-mail", parseEmail, 'demo@example.com')
    .option('--scans <number>', 'how many scans', parseCount, 200_000)
    .option('--seed <number>', 'another number makes other scans', parseSeed, 1)
    .option('--reset', 'delete the demo account of that e-mail first, with all that is in it')
    .action((options: DemoOptions) =>
      withDatabase(async ({ db, config }) => {
        const now = new Date();
        if (options.reset) await deleteDemoAccount(db, options.email);
        const password = newPassword();
        const user = await createDemoUser(db, options.email, password, now);
        const key = await createApiKey(db, user.id, keyName, now);
        const codes = await createDemoCodes(db, user, now);
        const { scans: count, seed } = options;
        await recordAll(db, makeDemoScans(codes, { count, seed, now }));
        say(`${codes.length} codes and ${count} scans are made. Sign in at ${config.baseUrl}/signin`);
        print(['e-mail', user.email].join('\t'));
        print(['password', password].join('\t'));
        print(['key', key].join('\t'));
      }),
    );
}

async function createDemoUser(db: Database, email: string, password: string, now: Date): Promise<User> {
  const user = await createUser(db, { email, passwordHash: hashPassword(password) }, now);
  if (!user) {
    throw new AppError(
      'validation_error',
      `${email} has an account already. To make the demo account anew, with a new password: qrelay demo --reset`,
    );
  }
  await setPlan(db, user, 'pro', now);
  return user;
}

async function deleteDemoAccount(db: Database, email: string): Promise<void> {
  const user = await findUserByEmail(db, email).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (!user) return;
  const keys = await listApiKeys(db, user.id);
  if (!keys.some(({ name }) => name === keyName)) {
    throw new AppError(
      'validation_error',
      `${email} is no demo account, and stays as it is. Name another with --email.`,
    );
  }
  await deleteUser(db, user);
}

async function createDemoCodes(db: Database, user: User, now: Date): Promise<MadeCode[]> {
  const made: MadeCode[] = [];
  // Oldest first, as somebody would have made them.
  for (const demo of demoCodes.toSorted((one, other) => other.ageDays - one.ageDays)) {
    const { ageDays, weight, weekend, isFavorite, ...code } = demo;
    const createdAt = new Date(startOfDay(now) - ageDays * dayMs);
    const created = await createCode(
      db,
      user.id,
      { ...code, backgroundColor: '#ffffff', size: 512, errorCorrection: 'M' },
      lifetimeDays,
      createdAt,
    );
    if (isFavorite) await updateCode(db, created, { isFavorite }, createdAt);
    made.push({ id: created.id, createdAt, weight, weekend });
  }
  return made;
}

async function recordAll(db: Database, scans: ScanRow[]): Promise<void> {
  const bar = new SingleBar({
    format: '{bar} {percentage}% | scan {value} of {total} | {eta_formatted} left',
    noTTYOutput: true,
    notTTYSchedule: 5_000,
  });
  bar.start(scans.length, 0);
  for (let from = 0; from < scans.length; from += batchSize) {
    const batch = scans.slice(from, from + batchSize);
    await recordScans(db, batch);
    bar.increment(batch.length);
  }
  bar.stop();
}

function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= mostScans) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${mostScans}.`);
}

function parseSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
