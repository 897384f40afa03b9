import type { Knex } from 'knex';
import { deleteUnusedLogo, usesByDesigns } from './0034-styles.ts';

const usesOfLogos = [...usesByDesigns, 'SELECT FROM page_logos WHERE logo = former'];
const useByRemoved = `SELECT FROM removed_designs WHERE design ->> 'logo' = former`;

/** Locks the logos of a code in one order when it is deleted. `uses` are queries for ids of logos. */
function lockLogosOfCode(uses: string[]): string {
  return `
    CREATE OR REPLACE FUNCTION lock_logos_of_code() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM logos WHERE id IN (${uses.join(' UNION ALL ')}) ORDER BY id FOR UPDATE;
      RETURN OLD;
    END $$;`;
}

const logosOfCode = [
  'SELECT logo FROM page_logos WHERE code_id = OLD.id',
  `SELECT design ->> 'logo' FROM designs WHERE code_id = OLD.id`,
];

/**
 * Files and designs that owners removed on a page, kept for a while so that they can undo it: the last one of each code. The
 * previous release does not know these tables; what it removes is gone. And whether the name of a code is public.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE qr_codes
      -- Whether share pages and prints show the name where there is no page_title. Null, as the previous release and the API
      -- leave it: they do.
      ADD COLUMN page_shows_name boolean;

    CREATE TABLE removed_files (
      code_id uuid PRIMARY KEY REFERENCES qr_codes ON DELETE CASCADE,
      -- As in code_files.
      id uuid NOT NULL,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      kind text NOT NULL,
      name text NOT NULL,
      media_type text NOT NULL,
      bytes integer NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      -- What the code had, for a code that leads elsewhere since.
      type text NOT NULL,
      content text NOT NULL,
      removed_at timestamptz(3) NOT NULL
    );
    CREATE INDEX removed_files_user ON removed_files (user_id, removed_at);
    CREATE INDEX removed_files_age ON removed_files (removed_at);
    CREATE TRIGGER list_purged_file AFTER DELETE ON removed_files
      FOR EACH ROW EXECUTE FUNCTION list_deleted_file();
    CREATE TRIGGER list_superseded_file AFTER UPDATE ON removed_files
      FOR EACH ROW WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION list_deleted_file();

    CREATE TABLE removed_designs (
      code_id uuid PRIMARY KEY REFERENCES qr_codes ON DELETE CASCADE,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      design jsonb NOT NULL,
      removed_at timestamptz(3) NOT NULL
    );
    CREATE INDEX removed_designs_user ON removed_designs (user_id);
    CREATE INDEX removed_designs_age ON removed_designs (removed_at);
    CREATE INDEX removed_designs_logo ON removed_designs ((design ->> 'logo')) WHERE design ->> 'logo' IS NOT NULL;
    ${deleteUnusedLogo([...usesOfLogos, useByRemoved])}
    ${lockLogosOfCode([...logosOfCode, `SELECT design ->> 'logo' FROM removed_designs WHERE code_id = OLD.id`])}
    CREATE TRIGGER delete_unused_logo AFTER UPDATE OR DELETE ON removed_designs
      FOR EACH ROW WHEN (OLD.design ->> 'logo' IS NOT NULL) EXECUTE FUNCTION delete_unused_logo();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${lockLogosOfCode(logosOfCode)}
    -- Deleted one by one first: the triggers purge their bytes and logos.
    DELETE FROM removed_files;
    DELETE FROM removed_designs;
    DROP TABLE removed_files, removed_designs;
    ${deleteUnusedLogo(usesOfLogos)}
    ALTER TABLE qr_codes DROP COLUMN page_shows_name;
  `);
}
