import { Command } from 'commander';
import { createPartitions } from '../scans/partitions.ts';
import { finishUpgrade, migrateDatabase } from '../store/migrate.ts';
import { createLog, logConsoleOutput } from '../telemetry/log.ts';
import { failureMessage, printMessage } from './output.ts';
import { withDatabase } from './with-database.ts';

type Print = (line: string) => void;

interface MigrateOptions {
  finish?: boolean;
  json?: boolean;
  ifReachable?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Bring the database schema up to date; run this before the processes of a new release start')
    .option(
      '--finish',
      'then drop what was kept for the previous release: only when none of its processes runs any more',
    )
    .option('--json', 'write messages as JSON lines, as the processes write their logs')
    .option('--if-reachable', 'succeed without doing anything while the database cannot be reached')
    .action(({ finish = false, json = false, ifReachable = false }: MigrateOptions) => {
      const run = ifReachable ? migrateIfReachable : migrate;
      return json ? migrateLogged((print) => run(finish, print)) : run(finish, printMessage);
    });
}

/** For a release phase, whose output is collected with the logs: lines as web and worker processes write them. */
async function migrateLogged(run: (print: Print) => Promise<void>): Promise<void> {
  const log = createLog('release', 'info');
  logConsoleOutput(log);
  try {
    await run((line) => log.info(line));
  } catch (error) {
    log.fatal(await failureMessage(error));
    process.exitCode = 1;
  }
}

/** Before a web process, which serves known share links without a database: an outage must not keep it from starting. */
async function migrateIfReachable(finish: boolean, print: Print): Promise<void> {
  try {
    await migrate(finish, print);
  } catch (error) {
    const { isServerLost } = await import('../store/database.ts');
    if (!isServerLost(error)) throw error;
    print('The database cannot be reached. Nothing was migrated; run `qrelay migrate` when it is back.');
  }
}

function migrate(finish: boolean, print: Print): Promise<void> {
  return withDatabase(async ({ db, url, config }) => {
    // BullMQ takes a while to load, and the help does without it.
    const { migrateQueue } = await import('../queue/postgres-engine.ts');
    const { requireEngineInUse } = await import('../queue/queue-agreement.ts');
    await requireEngineInUse(db, { databaseUrl: url, redisUrl: config.redisUrl });
    const { applied, notice } = await migrateDatabase(url, print, (migrated) =>
      createPartitions(migrated, new Date()),
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
}
