import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { keyCommand, userCommand } from './cli/accounts.ts';
import { demoCommand } from './cli/demo.ts';
import { say } from './cli/say.ts';
import { countersCommand, scansCommand } from './cli/scans.ts';
import { withDatabase } from './cli/with-database.ts';
import { AppError } from './errors.ts';
import { migrateQueue } from './queue/connection.ts';
import { migrate } from './store/migrate.ts';
import { sentenceFor } from './store/setup-sentence.ts';

/** Exit codes: 0 done, 1 could not be done, 2 asked the wrong way. */
const failed = 1;
const misused = 2;

// From where the build is: dist/src.
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const program = new Command('qrelay')
  .description(
    'Qrelay from the command line. It uses DATABASE_URL, or the embedded database that runs in DATA_DIR.',
  )
  .version(version, '--version', 'print the version')
  .addCommand(keyCommand())
  .addCommand(userCommand())
  .addCommand(countersCommand())
  .addCommand(scansCommand())
  .addCommand(demoCommand());

program
  .command('migrate')
  .description('Bring the database schema up to date; a release does this before its processes start')
  .action(() =>
    withDatabase(async ({ db, url, config }) => {
      const applied = await migrate(db);
      await migrateQueue({ databaseUrl: url, redisUrl: config.redisUrl });
      say(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
    }),
  );

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : misused;
  const sentence = error instanceof AppError ? error.message : sentenceFor(error);
  console.error(sentence ?? error);
  return failed;
}

/** So that commander throws instead of leaving with an exit code of its own. */
function throwing(command: Command): void {
  command.exitOverride().showHelpAfterError('(add --help for how to use it)');
  command.commands.forEach(throwing);
}

throwing(program);
program.parseAsync().catch((error: unknown) => {
  process.exitCode = report(error);
});
