import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { AppError } from '../errors.ts';
import { migrateDatabase } from '../store/migrate.ts';
import { sentenceFor } from '../store/setup-sentence.ts';
import { keyCommand, userCommand } from './accounts.ts';
import { blockCommand, blocksCommand, unblockCommand } from './blocks.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { queueCommand } from './queue.ts';
import { say } from './say.ts';
import { countersCommand, scansCommand } from './scans.ts';
import { withDatabase } from './with-database.ts';

/** Exit codes: 0 done, 1 could not be done, 2 asked the wrong way. */
const failed = 1;
const misused = 2;

/** Does what it is asked, and gives the exit code. `output` is where help and complaints about the question go. */
export async function runCommandLine(
  args: string[],
  version: string,
  output: OutputConfiguration = {},
): Promise<number> {
  const program = createProgram(version);
  prepare(program, output);
  try {
    await program.parseAsync(args, { from: 'user' });
    // Some do their work and then have bad news.
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error);
  }
}

function createProgram(version: string): Command {
  const program = new Command('qrelay')
    .description(
      'Qrelay from the command line. It uses DATABASE_URL, or the embedded database that runs in DATA_DIR.',
    )
    .version(version, '--version', 'print the version')
    .addCommand(keyCommand())
    .addCommand(userCommand())
    .addCommand(countersCommand())
    .addCommand(scansCommand())
    .addCommand(queueCommand())
    .addCommand(blockCommand())
    .addCommand(unblockCommand())
    .addCommand(blocksCommand())
    .addCommand(demoCommand())
    .addCommand(doctorCommand());

  program
    .command('migrate')
    .description('Bring the database schema up to date; a release does this before its processes start')
    .action(() =>
      withDatabase(async ({ url, config }) => {
        // BullMQ takes a while to load, and most commands can do without it.
        const { migrateQueue } = await import('../queue/postgres-engine.ts');
        const { applied, notice } = await migrateDatabase(url, say);
        await migrateQueue({ databaseUrl: url, redisUrl: config.redisUrl });
        if (notice) say(notice);
        if (applied.length > 0) say(`Applied ${applied.join(', ')}.`);
        else if (!notice) say('The schema is up to date.');
      }),
    );
  return program;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : misused;
  const sentence = error instanceof AppError ? error.message : sentenceFor(error);
  say(String(sentence ?? (error instanceof Error ? error.stack : error)));
  return failed;
}

/** So that commander throws instead of leaving with an exit code of its own. */
function prepare(command: Command, output: OutputConfiguration): void {
  command.exitOverride().configureOutput(output).showHelpAfterError('(add --help for how to use it)');
  for (const below of command.commands) prepare(below, output);
}
