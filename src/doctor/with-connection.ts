import { type Database, openDatabase } from '../store/database.ts';

/** One connection, for a moment. */
export async function lookInto<Value>(
  databaseUrl: string,
  look: (db: Database) => Promise<Value>,
): Promise<Value> {
  const db = openDatabase(databaseUrl, {
    poolMax: 1,
    applicationName: 'qrelay doctor',
    queryTimeoutMs: 5_000,
  });
  try {
    return await look(db);
  } finally {
    await db.destroy();
  }
}
