import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { AppError } from '../errors.ts';
import { createPartitions } from '../scans/partitions.ts';
import { finishUpgrade, migrateDatabase } from '../store/migrate.ts';
import { setupErrorMessage } from '../store/setup-error-message.ts';
import { keyCommand, userCommand } from './accounts.ts';
import { backupCommand } from './backup.ts';
import { blockCommand, blocksCommand, unblockCommand } from './blocks.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { queueCommand } from './queue.ts';
import { jsonMessages, type Messages, plainMessages } from './output.ts';
import { countersCommand, scansCommand } from './scans.ts';
import { secretCommand } from './secret.ts';
import { withDatabase } from './with-database.ts';

/** Exit codes: 0 success, 1 failure, 2 wrong usage. */
const failureCode = 1;
const usageErrorCode = 2;

/** Runs a command and returns the exit code. `output` receives help and usage errors. */
export async function runCommandLine(
  args: string[],
  version: string,
  output: OutputConfiguration = {},
): Promise<number> {
  let messages = plainMessages;
  const program = createProgram(version, () => {
    messages = jsonMessages();
    return messages;
  });
  configure(program, output);
  try {
    await program.parseAsync(args, { from: 'user' });
    // Some commands set it themselves, such as doctor and counters verify.
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error, messages);
  }
}

function createProgram(version: string, useJsonMessages: () => Messages): Command {
  const program = new Command('qrelay')
    .description('Manage Qrelay. Uses DATABASE_URL, or the embedded database that is running in DATA_DIR.')
    .version(version, '--version', 'print the version')
    .addCommand(keyCommand())
    .addCommand(userCommand())
    .addCommand(countersCommand())
    .addCommand(scansCommand())
    .addCommand(queueCommand())
    .addCommand(blockCommand())
    .addCommand(unblockCommand())
    .addCommand(blocksCommand())
    .addCommand(secretCommand())
    .addCommand(backupCommand())
    .addCommand(demoCommand())
    .addCommand(doctorCommand());

  program
    .command('migrate')
    .description('Bring the database schema up to date; run this before the processes of a new release start')
    .option(
      '--finish',
      'then drop what was kept for the previous release: only when none of its processes runs any more',
    )
    .option('--json', 'write messages as JSON lines, as the processes write their logs')
    .action(({ finish, json }: { finish?: boolean; json?: boolean }) => {
      const { print } = json ? useJsonMessages() : plainMessages;
      return withDatabase(async ({ url, config }) => {
        // BullMQ takes a while to load, and most commands can do without it.
        const { migrateQueue } = await import('../queue/postgres-engine.ts');
        const { applied, notice } = await migrateDatabase(url, print, (db) =>
          createPartitions(db, new Date()),
        );
        await migrateQueue({ databaseUrl: url, redisUrl: config.redisUrl });
        if (notice) print(notice);
        if (applied.length > 0) print(`Applied ${applied.join(', ')}.`);
        else if (!notice) print('The schema is up to date.');
        if (finish) {
          await finishUpgrade(url, print);
          print('The upgrade is finished: processes of the previous release can no longer record scans.');
        }
      });
    });
  return program;
}

function report(error: unknown, { printFailure }: Messages): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageErrorCode;
  const message = error instanceof AppError ? error.message : setupErrorMessage(error);
  printFailure(String(message ?? (error instanceof Error ? error.stack : error)));
  return failureCode;
}

/** Makes commander throw instead of exiting by itself. */
function configure(command: Command, output: OutputConfiguration): void {
  command.exitOverride().configureOutput(output).showHelpAfterError('(use --help for usage)');
  for (const subcommand of command.commands) configure(subcommand, output);
}
