import type { Knex } from 'knex';
import { deleteUnusedLogo, usesByDesigns } from './0034-styles.ts';

const usesOfLogos = [
  ...usesByDesigns,
  'SELECT FROM page_logos WHERE logo = former',
  `SELECT FROM removed_designs WHERE design ->> 'logo' = former`,
];

/** As in 0055, which locks the logos of a code in one order when it is deleted. */
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
  `SELECT design ->> 'logo' FROM removed_designs WHERE code_id = OLD.id`,
];

/** `keep` runs before the logo that a code no longer uses may be deleted. */
const logoTriggers = (keep: (logo: string) => string) => `
  CREATE OR REPLACE FUNCTION delete_unused_logo() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    former text := OLD.design ->> 'logo';
  BEGIN
    IF TG_OP = 'UPDATE' AND NEW.design ->> 'logo' = former THEN RETURN NULL; END IF;
    ${keep('former') && `IF TG_TABLE_NAME = 'designs' THEN ${keep('former')} END IF;`}
    PERFORM delete_logo_without_use(former);
    RETURN NULL;
  END $$;
  CREATE OR REPLACE FUNCTION delete_unused_page_logo() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND NEW.logo = OLD.logo THEN RETURN NULL; END IF;
    ${keep('OLD.logo')}
    PERFORM delete_logo_without_use(OLD.logo);
    RETURN NULL;
  END $$;`;

/** Not in the cascade of a deleted code, of which nothing is kept. */
const keepLogo = (logo: string) => `
    INSERT INTO replaced_logos (code_id, logo, user_id)
      SELECT OLD.code_id, id, user_id FROM logos
      WHERE id = ${logo} AND EXISTS (SELECT FROM qr_codes WHERE id = OLD.code_id)
      ON CONFLICT (code_id, logo) DO UPDATE SET replaced_at = excluded.replaced_at;`;

/**
 * Logos and files that versions of codes had are kept for a while, so that the versions can be restored: each of the last
 * ones of a code, not only the last one that was removed on a page.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE replaced_logos (
      code_id uuid NOT NULL REFERENCES qr_codes ON DELETE CASCADE,
      logo text NOT NULL,
      user_id uuid NOT NULL,
      replaced_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (code_id, logo)
    );
    CREATE INDEX replaced_logos_logo ON replaced_logos (logo);
    CREATE INDEX replaced_logos_user ON replaced_logos (user_id);
    CREATE INDEX replaced_logos_age ON replaced_logos (replaced_at);
    ${deleteUnusedLogo([...usesOfLogos, 'SELECT FROM replaced_logos WHERE logo = former'])}
    ${lockLogosOfCode([...logosOfCode, 'SELECT logo FROM replaced_logos WHERE code_id = OLD.id'])}
    CREATE FUNCTION delete_unused_replaced_logo() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM delete_logo_without_use(OLD.logo);
      RETURN NULL;
    END $$;
    CREATE TRIGGER delete_unused_replaced_logo AFTER DELETE ON replaced_logos
      FOR EACH ROW EXECUTE FUNCTION delete_unused_replaced_logo();
    ${logoTriggers(keepLogo)}

    ALTER TABLE removed_files
      DROP CONSTRAINT removed_files_pkey,
      ADD PRIMARY KEY (id),
      -- True: another file took its place, or the code leads elsewhere. The page of the file does not offer it.
      ADD COLUMN is_replaced boolean NOT NULL DEFAULT false;
    CREATE INDEX removed_files_code ON removed_files (code_id);

    CREATE FUNCTION keep_file(former code_files, code qr_codes) RETURNS void LANGUAGE sql AS $$
      INSERT INTO removed_files (code_id, id, user_id, kind, name, media_type, bytes, updated_at, type, content, removed_at, is_replaced)
      VALUES (former.code_id, former.id, former.user_id, former.kind, former.name, former.media_type, former.bytes,
              former.updated_at, code.type, code.content, clock_timestamp(), true)
      ON CONFLICT DO NOTHING
    $$;
    CREATE FUNCTION keep_replaced_file() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM keep_file(OLD, qr_codes) FROM qr_codes WHERE id = OLD.code_id;
      RETURN NULL;
    END $$;
    DROP TRIGGER list_replaced_file ON code_files;
    CREATE TRIGGER keep_replaced_file AFTER UPDATE ON code_files
      FOR EACH ROW WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION keep_replaced_file();
    CREATE OR REPLACE FUNCTION delete_unused_file() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      unused code_files;
    BEGIN
      DELETE FROM code_files WHERE code_id = NEW.id AND CASE kind
        WHEN 'photo' THEN NEW.type <> 'vcard'
        ELSE strpos(NEW.content, '/f/' || NEW.share_token || '/') = 0
      END RETURNING * INTO unused;
      IF FOUND THEN
        PERFORM keep_file(unused, OLD);
        -- Where the deletion has listed it.
        DELETE FROM deleted_files WHERE id = unused.id;
      END IF;
      RETURN NULL;
    END $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE OR REPLACE FUNCTION delete_unused_file() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM code_files WHERE code_id = NEW.id AND CASE kind
        WHEN 'photo' THEN NEW.type <> 'vcard'
        ELSE strpos(NEW.content, '/f/' || NEW.share_token || '/') = 0
      END;
      RETURN NULL;
    END $$;
    DROP TRIGGER keep_replaced_file ON code_files;
    DROP FUNCTION keep_replaced_file, keep_file;
    CREATE TRIGGER list_replaced_file AFTER UPDATE ON code_files
      FOR EACH ROW WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION list_deleted_file();
    -- A trigger lists their bytes, which are purged.
    DELETE FROM removed_files WHERE is_replaced;
    DROP INDEX removed_files_code;
    ALTER TABLE removed_files DROP CONSTRAINT removed_files_pkey, ADD PRIMARY KEY (code_id), DROP COLUMN is_replaced;

    ${logoTriggers(() => '')}
    ${lockLogosOfCode(logosOfCode)}
    DELETE FROM replaced_logos;
    DROP TABLE replaced_logos;
    DROP FUNCTION delete_unused_replaced_logo;
    ${deleteUnusedLogo(usesOfLogos)}
  `);
}
