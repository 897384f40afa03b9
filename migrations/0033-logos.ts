import type { Knex } from 'knex';

/**
 * A logo is deleted with the last design that has it, by a trigger: whichever page, job, cascade or release removes that
 * design. It locks the logo before it looks, and whoever starts to use one locks it too, so that none is deleted meanwhile.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE logos (
      -- A hash of the account and the picture: the same file twice is one logo.
      id text PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      png bytea NOT NULL,
      created_at timestamptz(3) NOT NULL
    );
    -- Already compressed.
    ALTER TABLE logos ALTER COLUMN png SET STORAGE EXTERNAL;
    CREATE INDEX logos_user_id ON logos (user_id);
    CREATE INDEX designs_logo ON designs ((design ->> 'logo')) WHERE design ->> 'logo' IS NOT NULL;
    CREATE FUNCTION delete_unused_logo() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      former text := OLD.design ->> 'logo';
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.design ->> 'logo' = former THEN RETURN NULL; END IF;
      PERFORM FROM logos WHERE id = former FOR UPDATE;
      DELETE FROM logos WHERE id = former AND NOT EXISTS (SELECT FROM designs WHERE design ->> 'logo' = former);
      RETURN NULL;
    END $$;
    CREATE TRIGGER delete_unused_logo AFTER UPDATE OR DELETE ON designs
      FOR EACH ROW WHEN (OLD.design ->> 'logo' IS NOT NULL) EXECUTE FUNCTION delete_unused_logo();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER delete_unused_logo ON designs;
    DROP FUNCTION delete_unused_logo;
    DROP INDEX designs_logo;
    DROP TABLE logos;
  `);
}
