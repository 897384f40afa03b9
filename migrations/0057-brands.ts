import type { Knex } from 'knex';

/**
 * Styles may set the colors of codes, and an account has a brand: colors and a logo. A logo that is deleted with its last use
 * otherwise stays while it is the brand's; with the account, it goes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Both or none: without, codes keep their colors.
    ALTER TABLE styles ADD COLUMN foreground_color text, ADD COLUMN background_color text;
    CREATE TABLE brands (
      user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      foreground_color text NOT NULL,
      background_color text NOT NULL,
      -- Of share pages. Null: the usual one.
      page_color text,
      logo text,
      updated_at timestamptz(3) NOT NULL
    );
    CREATE INDEX brands_logo ON brands (logo) WHERE logo IS NOT NULL;
    CREATE FUNCTION keep_brand_logo() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM brands JOIN users ON users.id = brands.user_id WHERE brands.logo = OLD.id) THEN
        RETURN NULL;
      END IF;
      RETURN OLD;
    END $$;
    CREATE TRIGGER keep_brand_logo BEFORE DELETE ON logos FOR EACH ROW EXECUTE FUNCTION keep_brand_logo();
    CREATE FUNCTION delete_unused_brand_logo() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.logo = OLD.logo THEN RETURN NULL; END IF;
      PERFORM delete_logo_without_use(OLD.logo);
      RETURN NULL;
    END $$;
    CREATE TRIGGER delete_unused_brand_logo AFTER UPDATE OR DELETE ON brands
      FOR EACH ROW WHEN (OLD.logo IS NOT NULL) EXECUTE FUNCTION delete_unused_brand_logo();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER keep_brand_logo ON logos;
    DROP FUNCTION keep_brand_logo;
    -- Logos that only brands had.
    DELETE FROM brands;
    DROP TABLE brands;
    DROP FUNCTION delete_unused_brand_logo;
    ALTER TABLE styles DROP COLUMN foreground_color, DROP COLUMN background_color;
  `);
}
