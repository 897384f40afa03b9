import type { Knex } from 'knex';

/**
 * The bytes of a file are in chunks, so that a part of it can be read. They are purged by a job: triggers list what was
 * replaced or deleted, whichever page, cascade or release did it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE code_files (
      code_id uuid PRIMARY KEY REFERENCES qr_codes ON DELETE CASCADE,
      -- Of the bytes: a replacement has another one.
      id uuid NOT NULL,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      -- 'file': the scan opens it. 'photo': of a contact.
      kind text NOT NULL,
      name text NOT NULL,
      media_type text NOT NULL,
      bytes integer NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
    CREATE INDEX code_files_user ON code_files (user_id);

    -- Without a foreign key: deleting an account must not wait for its bytes.
    CREATE TABLE code_file_chunks (
      file_id uuid NOT NULL,
      position integer NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (file_id, position)
    );
    -- Compressed already, and parts can be read.
    ALTER TABLE code_file_chunks ALTER COLUMN data SET STORAGE EXTERNAL;

    CREATE TABLE deleted_files (
      id uuid PRIMARY KEY,
      deleted_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE FUNCTION list_deleted_file() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deleted_files (id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;
    CREATE TRIGGER list_deleted_file AFTER DELETE ON code_files
      FOR EACH ROW EXECUTE FUNCTION list_deleted_file();
    CREATE TRIGGER list_replaced_file AFTER UPDATE ON code_files
      FOR EACH ROW WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION list_deleted_file();

    -- A code that leads elsewhere has no file any more, and one that is no contact no photo.
    CREATE FUNCTION delete_unused_file() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM code_files WHERE code_id = NEW.id AND CASE kind
        WHEN 'photo' THEN NEW.type <> 'vcard'
        ELSE strpos(NEW.content, '/f/' || NEW.share_token || '/') = 0
      END;
      RETURN NULL;
    END $$;
    CREATE TRIGGER delete_unused_file AFTER UPDATE OF type, content ON qr_codes
      FOR EACH ROW WHEN (OLD.type <> NEW.type OR OLD.content <> NEW.content) EXECUTE FUNCTION delete_unused_file();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER delete_unused_file ON qr_codes;
    DROP FUNCTION delete_unused_file;
    DROP TABLE code_files, code_file_chunks, deleted_files;
    DROP FUNCTION list_deleted_file;
  `);
}
