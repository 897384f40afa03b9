import type { Knex } from 'knex';

/**
 * Limits that an operator has set for an account, and the number of its codes. Triggers count them, whichever page, command,
 * cascade or release creates or deletes one. They only add rows: a counter that is updated would make everything that deletes
 * a code wait for everything that creates one, in an order that other locks contradict.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Null, or those that differ from the plan: {"codes": 5000}.
    ALTER TABLE users ADD COLUMN limits jsonb;

    -- An account has as many codes as its rows add up to. Without a foreign key, whose lock would be taken after that of a code.
    CREATE TABLE code_counts (
      user_id uuid NOT NULL,
      codes integer NOT NULL
    );
    CREATE INDEX code_counts_user ON code_counts (user_id);

    CREATE FUNCTION count_created_codes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO code_counts (user_id, codes) SELECT user_id, count(*) FROM created GROUP BY user_id;
      RETURN NULL;
    END $$;
    CREATE FUNCTION count_deleted_codes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO code_counts (user_id, codes) SELECT user_id, -count(*) FROM deleted GROUP BY user_id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER count_created_codes AFTER INSERT ON qr_codes
      REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION count_created_codes();
    CREATE TRIGGER count_deleted_codes AFTER DELETE ON qr_codes
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_codes();

    -- At the end of the transaction: the codes that a cascade deletes are counted after the triggers of the account.
    CREATE FUNCTION purge_code_counts() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM code_counts WHERE user_id = OLD.id;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER purge_code_counts AFTER DELETE ON users DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION purge_code_counts();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER purge_code_counts ON users;
    DROP TRIGGER count_created_codes ON qr_codes;
    DROP TRIGGER count_deleted_codes ON qr_codes;
    DROP FUNCTION purge_code_counts, count_created_codes, count_deleted_codes;
    DROP TABLE code_counts;
    ALTER TABLE users DROP COLUMN limits;
  `);
}
