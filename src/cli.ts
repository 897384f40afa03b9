import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { createApiKey, listApiKeys, revokeApiKey } from './accounts/api-keys.ts';
import { type Plan, planNames } from './accounts/plans.ts';
import { findOrCreateUser, findUserByEmail, setPlan } from './accounts/users.ts';
import { type Config, loadConfig } from './config.ts';
import { AppError, SetupError } from './errors.ts';
import { migrateQueue } from './queue/connection.ts';
import { type Database, isDatabaseUnreachable, openDatabase } from './store/database.ts';
import { findEmbeddedPostgres } from './store/embedded/server.ts';
import { migrate } from './store/migrate.ts';

/** Exit codes: 0 done, 1 could not be done, 2 asked the wrong way. Results on standard output, the rest on standard error. */
const failed = 1;
const misused = 2;

const now = () => new Date();
const say = (line: string) => console.error(line);

const emailOption = () =>
  new Option('--email <email>', "the account's e-mail").argParser(parseEmail).makeOptionMandatory();
const planOption = () => new Option('--plan <plan>', 'the plan').choices(planNames);

const program = new Command('qrelay')
  .description(
    'Qrelay from the command line. It uses DATABASE_URL, or the embedded database that runs in DATA_DIR.',
  )
  .showHelpAfterError('(add --help for how to use it)')
  .configureOutput({ writeErr: (text) => process.stderr.write(text) });

const key = program.command('key').description('API keys');

key
  .command('create')
  .description('Make an API key, and the user if need be. The key alone is printed on standard output, once.')
  .addOption(emailOption())
  .addOption(planOption())
  .option('--name <name>', 'a name for the key', parseName, 'command line')
  .action((options: { email: string; plan?: Plan; name: string }) =>
    withDatabase(async (db) => {
      const user = await findOrCreateUser(db, options.email, now());
      if (options.plan) await setPlan(db, user, options.plan, now());
      const created = await createApiKey(db, user.id, options.name, now());
      say(
        `Key "${options.name}" for ${user.email} (plan ${options.plan ?? user.plan}). It is shown this once:`,
      );
      console.log(created);
    }),
  );

key
  .command('list')
  .description("List a user's keys: prefix, state, when made, name")
  .addOption(emailOption())
  .action((options: { email: string }) =>
    withDatabase(async (db) => {
      const user = await findUserByEmail(db, options.email);
      const keys = await listApiKeys(db, user.id);
      say(`${user.email} (plan ${user.plan}) has ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}.`);
      for (const { prefix, revokedAt, createdAt, name } of keys) {
        console.log([prefix, revokedAt ? 'revoked' : 'active', createdAt.toISOString(), name].join('\t'));
      }
    }),
  );

key
  .command('revoke <prefix>')
  .description('Revoke a key for good; the prefix is the part between the underscores')
  .action((prefix: string) =>
    withDatabase(async (db) => {
      const { name } = await revokeApiKey(db, prefix, now());
      say(`Key ${prefix} ("${name}") is revoked.`);
    }),
  );

program
  .command('user')
  .description('Users')
  .command('plan')
  .description("Set a user's plan")
  .addOption(emailOption())
  .addOption(planOption().makeOptionMandatory())
  .action((options: { email: string; plan: Plan }) =>
    withDatabase(async (db) => {
      await setPlan(db, await findUserByEmail(db, options.email), options.plan, now());
      say(`${options.email} is on the plan ${options.plan}.`);
    }),
  );

program
  .command('migrate')
  .description('Bring the database schema up to date; a release does this before its processes start')
  .action(() =>
    withDatabase(async (db, databaseUrl, config) => {
      const applied = await migrate(db);
      await migrateQueue({ databaseUrl, redisUrl: config.redisUrl });
      say(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    }),
  );

async function withDatabase(
  work: (db: Database, url: string, config: Config) => Promise<void>,
): Promise<void> {
  const config = loadConfig(process.env);
  const url = config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir));
  if (!url) {
    throw new SetupError(
      `No database is running in ${config.dataDir}. Start the service with \`npm start\`, or set DATABASE_URL or DATA_DIR.`,
    );
  }
  const db = openDatabase(url, { poolMax: 2, applicationName: 'qrelay command line' });
  try {
    await work(db, url, config);
  } finally {
    await db.destroy();
  }
}

function parseEmail(text: string): string {
  if (text.length <= 254 && /^[^\s@<>()",;]+@[^\s@<>()",;]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must look like you@example.com.');
}

function parseName(text: string): string {
  const name = text.normalize('NFC').trim();
  if (name && [...name].length <= 100 && name.isWellFormed()) return name;
  throw new InvalidArgumentError('It must have 1 to 100 characters.');
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : misused;
  if (error instanceof AppError || error instanceof SetupError) say(error.message);
  else if (isDatabaseUnreachable(error))
    say('The database cannot be reached. Is the service running, and DATABASE_URL right?');
  else console.error(error);
  return failed;
}

/** So that commander throws instead of leaving with an exit code of its own. */
function throwing(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwing);
}

throwing(program);
program.parseAsync().catch((error: unknown) => {
  process.exitCode = report(error);
});
