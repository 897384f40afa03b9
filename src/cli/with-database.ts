import { type Config, loadConfig } from '../config.ts';
import { SetupError } from '../errors.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { findEmbeddedPostgres } from '../store/embedded/server.ts';

interface DatabaseInUse {
  db: Database;
  url: string;
  config: Config;
}

/** Runs a command on DATABASE_URL, or on the embedded database that runs in DATA_DIR. */
export async function withDatabase(work: (inUse: DatabaseInUse) => Promise<void>): Promise<void> {
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
    queryTimeoutMs: 3_600_000,
  });
  try {
    await work({ db, url, config });
  } finally {
    await db.destroy();
  }
}
