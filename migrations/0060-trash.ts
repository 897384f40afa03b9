import type { Knex } from 'knex';
import { deliverEvent } from './0029-code-events.ts';
import { deliveryColumns } from './0035-missed-events.ts';

const countDeleted = (condition: string) => `
  CREATE OR REPLACE FUNCTION count_deleted_codes() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO code_counts (user_id, codes) SELECT user_id, -count(*) FROM deleted ${condition} GROUP BY user_id;
    RETURN NULL;
  END $$;`;

/**
 * The trash. A deleted code keeps its row, without its owner and its share token, which move to trashed_codes: nothing that
 * looks for codes by owner or by token finds it, in this release or the previous one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE qr_codes ALTER COLUMN user_id DROP NOT NULL, ALTER COLUMN share_token DROP NOT NULL;

    CREATE TABLE trashed_codes (
      code_id uuid PRIMARY KEY REFERENCES qr_codes ON DELETE CASCADE,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      share_token text NOT NULL,
      trashed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX trashed_codes_user ON trashed_codes (user_id, trashed_at, code_id);
    CREATE INDEX trashed_codes_age ON trashed_codes (trashed_at);

    CREATE FUNCTION delete_trashed_code() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- A restored code has an owner.
      DELETE FROM qr_codes WHERE id = OLD.code_id AND user_id IS NULL;
      RETURN NULL;
    END $$;
    CREATE TRIGGER delete_trashed_code AFTER DELETE ON trashed_codes
      FOR EACH ROW EXECUTE FUNCTION delete_trashed_code();

    CREATE FUNCTION note_trashed_code() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.user_id IS NULL THEN
        INSERT INTO code_counts (user_id, codes) VALUES (OLD.user_id, -1);
        ${deliverEvent('code.deleted', '(SELECT OLD.*)', deliveryColumns)};
      ELSE
        INSERT INTO code_counts (user_id, codes) VALUES (NEW.user_id, 1);
        ${deliverEvent('code.created', '(SELECT NEW.*)', deliveryColumns)};
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER note_trashed_code AFTER UPDATE OF user_id ON qr_codes
      FOR EACH ROW WHEN (OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION note_trashed_code();
    ${countDeleted('WHERE user_id IS NOT NULL')}
  `);
}

/** The previous schema has no place for trashed codes: they are deleted. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM trashed_codes;
    DROP TABLE trashed_codes;
    DROP TRIGGER note_trashed_code ON qr_codes;
    DROP FUNCTION note_trashed_code, delete_trashed_code;
    ${countDeleted('')}
    ALTER TABLE qr_codes ALTER COLUMN user_id SET NOT NULL, ALTER COLUMN share_token SET NOT NULL;
  `);
}
