import { type Database, openDatabase } from '../store/database.ts';

/** Opens one connection for the duration of `work`. */
export async function withConnection<Value>(
  databaseUrl: string,
  work: (db: Database) => Promise<Value>,
): Promise<Value> {
  const db = openDatabase(databaseUrl, {
    poolMax: 1,
    applicationName: 'qrelay doctor',
    queryTimeoutMs: 5_000,
    serverTimeouts: false,
  });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
