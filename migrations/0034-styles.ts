import type { Knex } from 'knex';

/** Deletes a logo that nothing uses any more. `uses` are queries for uses of the logo `former`. */
export function deleteUnusedLogo(uses: string[]): string {
  return `
    CREATE OR REPLACE FUNCTION delete_logo_without_use(former text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM logos WHERE id = former FOR UPDATE;
      DELETE FROM logos WHERE id = former AND NOT EXISTS (${uses.join(' UNION ALL ')});
    END $$;`;
}

export const usesByDesigns = [
  `SELECT FROM designs WHERE design ->> 'logo' = former`,
  `SELECT FROM styles WHERE design ->> 'logo' = former`,
];

/** Styles are uses of logos, like the designs of codes: the trigger of 0033 now counts both. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Designs with a name, to be used for many codes.
    CREATE TABLE styles (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      name text NOT NULL,
      -- The name in lower case, whatever the collation of the database makes of it.
      name_key text NOT NULL,
      design jsonb NOT NULL,
      is_default boolean NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
    CREATE UNIQUE INDEX styles_name ON styles (user_id, name_key);
    CREATE UNIQUE INDEX styles_default ON styles (user_id) WHERE is_default;
    CREATE INDEX styles_logo ON styles ((design ->> 'logo')) WHERE design ->> 'logo' IS NOT NULL;

    -- A style that is applied to many codes, by the worker.
    CREATE TABLE style_applications (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      style_id uuid NOT NULL REFERENCES styles ON DELETE CASCADE,
      -- Of new codes: one that has got a design meanwhile keeps it.
      keeps_designs boolean NOT NULL,
      created_at timestamptz(3) NOT NULL
    );
    CREATE INDEX style_applications_user ON style_applications (user_id);
    CREATE INDEX style_applications_style ON style_applications (style_id);
    CREATE INDEX style_applications_age ON style_applications (created_at);
    CREATE TABLE style_application_codes (
      application_id uuid NOT NULL REFERENCES style_applications ON DELETE CASCADE,
      code_id uuid NOT NULL REFERENCES qr_codes ON DELETE CASCADE,
      user_id uuid NOT NULL,
      -- Null: it waits.
      is_applied boolean,
      -- Why it is not applied.
      reason text,
      -- A worker proves it until then.
      claimed_until timestamptz(3),
      PRIMARY KEY (application_id, code_id)
    );
    CREATE INDEX style_application_codes_code ON style_application_codes (code_id);
    CREATE INDEX style_application_codes_waiting ON style_application_codes (user_id, application_id, code_id)
      WHERE is_applied IS NULL;

    ${deleteUnusedLogo(usesByDesigns)}
    CREATE OR REPLACE FUNCTION delete_unused_logo() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      former text := OLD.design ->> 'logo';
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.design ->> 'logo' = former THEN RETURN NULL; END IF;
      PERFORM delete_logo_without_use(former);
      RETURN NULL;
    END $$;
    CREATE TRIGGER delete_unused_logo AFTER UPDATE OR DELETE ON styles
      FOR EACH ROW WHEN (OLD.design ->> 'logo' IS NOT NULL) EXECUTE FUNCTION delete_unused_logo();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE style_application_codes, style_applications, styles;
    CREATE OR REPLACE FUNCTION delete_unused_logo() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      former text := OLD.design ->> 'logo';
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.design ->> 'logo' = former THEN RETURN NULL; END IF;
      PERFORM FROM logos WHERE id = former FOR UPDATE;
      DELETE FROM logos WHERE id = former AND NOT EXISTS (SELECT FROM designs WHERE design ->> 'logo' = former);
      RETURN NULL;
    END $$;
    DROP FUNCTION delete_logo_without_use;
    -- Logos that only styles had.
    DELETE FROM logos WHERE NOT EXISTS (SELECT FROM designs WHERE design ->> 'logo' = logos.id);
  `);
}
