import { Command, InvalidArgumentError } from 'commander';
import { createApiKey, listApiKeys } from '../accounts/api-keys.ts';
import { hashPassword } from '../accounts/password-hash.ts';
import { newPassword } from '../accounts/passwords.ts';
import { createUser, findUserByEmail, type User } from '../accounts/users.ts';
import { deleteUser } from '../accounts/deletion.ts';
import { AppError } from '../errors.ts';
import { Scan, type ScanRow } from '../scans/scan.ts';
import type { Database } from '../store/database.ts';
import { parseEmail } from './accounts.ts';
import { demoCodes } from '../demo/demo-codes.ts';
import { createDemoCodes } from '../demo/demo-account.ts';
import { makeDemoScans } from '../demo/demo-scans.ts';
import { printMessage, printResult } from './output.ts';
import { createProgressBar } from './progress-bar.ts';
import { withDatabase } from './with-database.ts';
import { ownWorkspaceId, setPlan } from '../workspaces/workspace.ts';

const batchSize = 500;
/** All scans are generated in memory before they are recorded in order. */
const maxScans = 2_000_000;
/** Marks an account as created by this command, so that --reset never deletes a real one. */
const keyName = 'qrelay demo';

interface DemoOptions {
  email: string;
  scans: number;
  seed: number;
  reset?: boolean;
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('Create a demo account with a code of each type and a year of scans')
    .option('--email <email>', "the account's email", parseEmail, 'demo@example.com')
    .option('--scans <number>', 'number of scans', parseCount, 200_000)
    .option('--seed <number>', 'seed of the random generator', parseSeed, 1)
    .option('--reset', 'first delete the demo account with this email and all its data')
    .action((options: DemoOptions) =>
      withDatabase(async ({ db, config }) => {
        const now = new Date();
        if (options.reset) await deleteDemoAccount(db, options.email);
        const password = newPassword();
        const user = await createDemoUser(db, options.email, password, now);
        const key = await createApiKey(db, ownWorkspaceId(user), keyName, now);
        const codes = await createDemoCodes(db, user, { ...config, codes: demoCodes }, now);
        const { scans: count, seed } = options;
        await recordAll(db, makeDemoScans(codes, { count, seed, now }));
        printMessage(`Created ${codes.length} codes and ${count} scans. Sign in at ${config.baseUrl}/signin`);
        printResult(['email', user.email].join('\t'));
        printResult(['password', password].join('\t'));
        printResult(['key', key].join('\t'));
      }),
    );
}

async function createDemoUser(db: Database, email: string, password: string, now: Date): Promise<User> {
  const user = await createUser(db, { email, passwordHash: hashPassword(password) }, now);
  if (!user) {
    throw new AppError(
      'validation_error',
      `${email} already has an account. To recreate the demo account with a new password, run: qrelay demo --reset`,
    );
  }
  await setPlan(db, ownWorkspaceId(user), 'pro');
  return user;
}

async function deleteDemoAccount(db: Database, email: string): Promise<void> {
  const user = await findUserByEmail(db, email).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (!user) return;
  const keys = await listApiKeys(db, ownWorkspaceId(user));
  if (!keys.some(({ name }) => name === keyName)) {
    throw new AppError(
      'validation_error',
      `${email} is not a demo account and was not changed. Choose another one with --email.`,
    );
  }
  await deleteUser(db, user);
}

async function recordAll(db: Database, scans: ScanRow[]): Promise<void> {
  const bar = createProgressBar('scan');
  bar.start(scans.length, 0);
  for (let from = 0; from < scans.length; from += batchSize) {
    const batch = scans.slice(from, from + batchSize);
    await Scan.record(db, batch);
    bar.increment(batch.length);
  }
  bar.stop();
}

function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= maxScans) return count;
  throw new InvalidArgumentError(`Must be a whole number from 1 to ${maxScans}.`);
}

function parseSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number.');
}
