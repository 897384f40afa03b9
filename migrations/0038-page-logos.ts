import type { Knex } from 'knex';
import { deleteUnusedLogo, usesByDesigns } from './0034-styles.ts';

/**
 * The owner's logo on share pages is a use of a logo, too. A code that has two logos locks both in one order when it is
 * deleted: two such codes would wait for each other.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE page_logos (
      code_id uuid PRIMARY KEY REFERENCES qr_codes ON DELETE CASCADE,
      logo text NOT NULL,
      -- For those who do not see it.
      alt text NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
    CREATE INDEX page_logos_logo ON page_logos (logo);
    ${deleteUnusedLogo([...usesByDesigns, 'SELECT FROM page_logos WHERE logo = former'])}
    CREATE FUNCTION delete_unused_page_logo() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.logo = OLD.logo THEN RETURN NULL; END IF;
      PERFORM delete_logo_without_use(OLD.logo);
      RETURN NULL;
    END $$;
    CREATE TRIGGER delete_unused_page_logo AFTER UPDATE OR DELETE ON page_logos
      FOR EACH ROW EXECUTE FUNCTION delete_unused_page_logo();
    CREATE FUNCTION lock_logos_of_code() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM logos WHERE id IN (
        SELECT logo FROM page_logos WHERE code_id = OLD.id
        UNION ALL SELECT design ->> 'logo' FROM designs WHERE code_id = OLD.id
      ) ORDER BY id FOR UPDATE;
      RETURN OLD;
    END $$;
    CREATE TRIGGER lock_logos_of_code BEFORE DELETE ON qr_codes
      FOR EACH ROW EXECUTE FUNCTION lock_logos_of_code();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER lock_logos_of_code ON qr_codes;
    DROP FUNCTION lock_logos_of_code;
    DROP TABLE page_logos;
    DROP FUNCTION delete_unused_page_logo;
    ${deleteUnusedLogo(usesByDesigns)}
    -- Logos that only share pages had.
    DELETE FROM logos WHERE NOT EXISTS (SELECT FROM designs WHERE design ->> 'logo' = logos.id)
      AND NOT EXISTS (SELECT FROM styles WHERE design ->> 'logo' = logos.id);
  `);
}
