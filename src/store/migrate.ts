import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import type { Database } from './database.ts';

const folder = new URL('../../migrations/', import.meta.url);

/** Names carry no extension: the same migration is `.ts` in development and `.js` once built. */
const source: Knex.MigrationSource<string> = {
  async getMigrations() {
    const files = await readdir(fileURLToPath(folder));
    return files.filter((file) => /^\d{4}-[a-z0-9-]+\.(ts|js)$/.test(file)).toSorted();
  },
  getMigrationName: (file) => file.replace(/\.(ts|js)$/, ''),
  getMigration: (file) => import(new URL(file, folder).href) as Promise<Knex.Migration>,
};

// Any number that no other program uses on this database.
const migrationLock = 7_303_014;

/**
 * Brings the schema up to date. Several processes may call it at once: one works, the others wait for it. One that a
 * newer release has migrated is left as it is: migrations only add, so the release before can work with it.
 */
export async function migrate(db: Database): Promise<string[]> {
  return db.transaction(async (holder) => {
    await holder.raw('select pg_advisory_xact_lock(?)', [migrationLock]);
    // Ours is the only migration now, so knex's own lock can only be one that a killed process left behind.
    const { known, unknown } = await compareMigrations(db);
    const options = {
      migrationSource: source,
      tableName: 'migrations',
      // To knex, one that it has no file of is a fault wherever it stands.
      disableMigrationsListValidation: unknown.every((name) => isNewer(name, known)),
    };
    await db.migrate.forceFreeMigrationsLock(options);
    const [, applied] = (await db.migrate.latest(options)) as [number, string[]];
    return applied;
  });
}

/** What to say where the release before is run on the schema of a newer one. */
export async function newerSchemaNotice(db: Database): Promise<string | undefined> {
  const { unknown } = await compareMigrations(db);
  return unknown.length === 0
    ? undefined
    : `The schema is newer than this release: it has ${unknown.join(', ')} of a later one, and is left as it is.`;
}

/** Names begin with their number. */
function isNewer(name: string, known: string[]): boolean {
  return known.every((other) => name > other);
}

interface Comparison {
  known: string[];
  pending: string[];
  unknown: string[];
}

/** What `migrate` would apply, and what a newer release has applied; looks only, where knex's own list makes its tables. */
export async function compareMigrations(db: Database): Promise<Comparison> {
  const known = (await source.getMigrations([])).map((file) => source.getMigrationName(file));
  const applied: string[] = (await db.schema.hasTable('migrations'))
    ? await db('migrations').orderBy('id').pluck<string[]>('name')
    : [];
  return {
    known,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

export async function rollBackAll(db: Database): Promise<void> {
  await db.migrate.rollback({ migrationSource: source, tableName: 'migrations' }, true);
}
