import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import type { Database } from './database.ts';

export type Migrations = Knex.MigrationSource<string>;

const folder = new URL('../../migrations/', import.meta.url);

/** Names have no extension, because the same migration is `.ts` in development and `.js` once built. */
export const ownMigrations: Migrations = {
  async getMigrations() {
    const files = await readdir(fileURLToPath(folder));
    return files.filter((file) => /^\d{4}-[a-z0-9-]+\.(ts|js)$/.test(file)).toSorted();
  },
  getMigrationName: (file) => file.replace(/\.(ts|js)$/, ''),
  getMigration: (file) => import(new URL(file, folder).href) as Promise<Knex.Migration>,
};

/** The warning for a release that runs on the schema of a newer one. */
export async function newerSchemaNotice(db: Database): Promise<string | undefined> {
  const { unknown } = await compareMigrations(db);
  return unknown.length === 0
    ? undefined
    : `The schema is newer than this release: it has the migrations ${unknown.join(', ')} of a later one. It was not changed.`;
}

/** Names start with their number, so they sort by age. */
export function isNewer(name: string, known: string[]): boolean {
  return known.every((other) => name > other);
}

interface Comparison {
  known: string[];
  pending: string[];
  unknown: string[];
}

/** What `migrate` would apply, and what a newer release has applied. Read-only, unlike knex's own list, which creates its tables. */
export async function compareMigrations(db: Database, migrationSource = ownMigrations): Promise<Comparison> {
  const files = await migrationSource.getMigrations([]);
  const known = files.map((file) => migrationSource.getMigrationName(file));
  const applied: string[] = (await db.schema.hasTable('migrations'))
    ? await db('migrations').orderBy('id').pluck<string[]>('name')
    : [];
  return {
    known,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}
