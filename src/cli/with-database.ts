import { type OperatorAction, recordAction } from '../accounts/operator-actions.ts';
import { type Config, loadConfig } from '../config.ts';
import { SetupError } from '../errors.ts';
import { hourMs } from '../runtime/units.ts';
import { runAs } from '../store/actor.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { findEmbeddedPostgres } from '../store/embedded/server.ts';

export interface CommandResources {
  db: Database;
  url: string;
  config: Config;
}

/** Runs a command on DATABASE_URL, or on the embedded database that is running in DATA_DIR. */
export async function withDatabase(work: (resources: CommandResources) => Promise<void>): Promise<void> {
  const config = loadConfig(process.env);
  const url = config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir));
  if (!url) {
    throw new SetupError(
      `No database is running in ${config.dataDir}. Start the service with \`npm start\`, or set DATABASE_URL or DATA_DIR.`,
    );
  }
  const db = openDatabase(url, {
    poolMax: 2,
    applicationName: 'qrelay command line',
    queryTimeoutMs: hourMs,
  });
  try {
    await runAs({ kind: 'operator', name: 'command line' }, () => work({ db, url, config }));
  } finally {
    await db.destroy();
  }
}

interface Entry {
  action: OperatorAction;
  target: string;
  note?: string | undefined;
}

/** Makes a change and records it for the audit log, both or neither. False where `change` had nothing to do. */
export async function changeAndRecord(
  db: Database,
  entry: Entry,
  change: (transaction: Database) => Promise<boolean | void>,
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    if ((await change(transaction)) === false) return false;
    await recordAction(transaction, { operatorId: undefined, ...entry }, new Date());
    return true;
  });
}
