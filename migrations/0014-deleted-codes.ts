import type { Knex } from 'knex';

/**
 * Deleting a code or an account removes the code at once, and a job purges its scans and counters later. A trigger lists
 * the deleted codes, so that none is forgotten: not by a cascade from the account, not by the previous release.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE deleted_codes (
      id uuid PRIMARY KEY,
      deleted_at timestamptz NOT NULL DEFAULT now(),
      -- When nothing was left the first time. Recorders that began earlier may still add scans.
      purged_at timestamptz
    );
    CREATE FUNCTION list_deleted_codes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deleted_codes (id) SELECT id FROM deleted ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;
    CREATE TRIGGER list_deleted_codes AFTER DELETE ON qr_codes
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION list_deleted_codes();
    ALTER TABLE scan_counters DROP CONSTRAINT scan_counters_qr_code_id_fkey;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER list_deleted_codes ON qr_codes;
    DROP FUNCTION list_deleted_codes;
    DROP TABLE deleted_codes;
    DELETE FROM scan_counters WHERE qr_code_id NOT IN (SELECT id FROM qr_codes);
    ALTER TABLE scan_counters ADD FOREIGN KEY (qr_code_id) REFERENCES qr_codes ON DELETE CASCADE;
  `);
}
