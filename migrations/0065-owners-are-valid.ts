import type { Knex } from 'knex';
import { ownedTables } from './0064-owned-by-workspaces.ts';

/** One table at a time. Rows can be read and written meanwhile. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  for (const table of ownedTables)
    await knex.raw(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_user_id_fkey`);
}

export async function down(): Promise<void> {}
