import type { Knex } from 'knex';
import { requireNoFoundedWorkspace } from './0069-workspaces-of-their-own.ts';

interface Recorded {
  kind: 'code' | 'style' | 'brand' | 'key' | 'webhook' | 'member' | 'invitation' | 'workspace';
  /** A row is this field of its code. Without: the columns are the fields. */
  part?: string;
  /** Everything else never gets into an entry: hashes, secrets, counters, times of use. */
  columns: string[];
  /** Has the id of the workspace. Null: the row is part of a code, which has it. */
  owner?: string | null;
  /** Which inserted rows are recorded. */
  whenInserted?: string;
  /** Which changed rows are recorded, if not those of which a column has changed. */
  whenChanged?: string;
  whenDeleted?: string;
}

// A scan moves the end of a code from one default to the next, and nothing else. `updated_at` tells it from what its owner does.
const isRenewed = `NEW.updated_at = OLD.updated_at AND NEW.expires_at = NEW.default_expires_at
  AND (OLD.default_expires_at IS NULL OR OLD.expires_at = OLD.default_expires_at)`;

const differs = (columns: string[]) =>
  columns.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ');

const codeColumns = [
  'name',
  'type',
  'content',
  'foreground_color',
  'background_color',
  'size',
  'error_correction',
  'category',
  'is_public',
  'is_favorite',
  'after_expiry_url',
  'page_title',
  'page_text',
  'page_color',
  'page_shows_name',
];

const recorded: Record<string, Recorded> = {
  qr_codes: {
    kind: 'code',
    columns: [...codeColumns, 'expires_at'],
    whenChanged: `${differs(codeColumns)} OR (OLD.expires_at IS DISTINCT FROM NEW.expires_at AND NOT (${isRenewed}))`,
    // One in the trash is recorded with its row there.
    whenDeleted: 'OLD.user_id IS NOT NULL',
  },
  designs: { kind: 'code', part: 'design', columns: ['design'], owner: null },
  page_logos: { kind: 'code', part: 'page_logo', columns: ['logo', 'alt'], owner: null },
  code_files: { kind: 'code', part: 'file', columns: ['id', 'kind', 'name', 'media_type', 'bytes'] },
  styles: {
    kind: 'style',
    columns: ['name', 'design', 'is_default', 'foreground_color', 'background_color'],
  },
  brands: { kind: 'brand', columns: ['foreground_color', 'background_color', 'page_color', 'logo'] },
  api_keys: { kind: 'key', columns: ['name', 'scopes', 'expires_at', 'revoked_at'] },
  webhook_endpoints: {
    kind: 'webhook',
    columns: [
      'name',
      'url',
      'events',
      'code_ids',
      'categories',
      'is_enabled',
      'disabled_reason',
      // Set when the secret is rotated.
      'previous_secret_until',
    ],
  },
  workspaces: { kind: 'workspace', columns: ['name', 'slug', 'plan', 'limits'], owner: 'id' },
  // Everybody is a member of the workspace that is created with their account.
  workspace_members: {
    kind: 'member',
    columns: ['role'],
    owner: 'workspace_id',
    whenInserted: 'NEW.workspace_id <> NEW.user_id',
  },
};

/** Here and not in the function: calling it for each code of a deleted workspace would take as long as deleting the code. */
const isOutlived = (owner: string) =>
  `OLD.${owner}::text IS DISTINCT FROM current_setting('qrelay.deleted_workspace', true)`;

/** Triggers that write an entry for each row of the table that is created, changed or deleted. */
export function recordChanges(table: string, given: Recorded): string {
  const { kind, part = '', columns, owner = 'user_id', whenInserted, whenDeleted } = given;
  const { whenChanged = differs(columns) } = given;
  const isKept = [whenDeleted, owner && isOutlived(owner)].filter(Boolean).join(' AND ') || undefined;
  const call = `EXECUTE FUNCTION record_change('${kind}', '${part}', ${columns.map((name) => `'${name}'`).join(', ')})`;
  const when = (condition: string | undefined) => (condition === undefined ? '' : `WHEN (${condition})`);
  return `
    CREATE TRIGGER record_created AFTER INSERT ON ${table} FOR EACH ROW ${when(whenInserted)} ${call};
    CREATE TRIGGER record_changed AFTER UPDATE OF ${columns.join(', ')} ON ${table}
      FOR EACH ROW ${when(whenChanged)} ${call};
    CREATE TRIGGER record_deleted AFTER DELETE ON ${table} FOR EACH ROW ${when(isKept)} ${call};`;
}

/**
 * The history: an entry for each change of what a workspace owns, in the transaction of the change, whichever page, job, command
 * or release makes it. What one transaction changes of a code and its parts is one entry, which is a version of the code.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Without foreign keys: an entry outlives its code, and a change must not wait for the deletion of its workspace.
    CREATE TABLE changes (
      id uuid PRIMARY KEY DEFAULT new_delivery_id(),
      workspace_id uuid NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      -- Null: a process of the previous release.
      actor_kind text CHECK (actor_kind IN ('person', 'key', 'operator', 'service')),
      actor_id uuid,
      -- As it was at that time: the address of a person, the name of a key.
      actor_name text,
      request_id text,
      kind text NOT NULL,
      action text NOT NULL CHECK (action IN ('created', 'changed', 'trashed', 'restored', 'deleted')),
      subject_id uuid NOT NULL,
      subject_name text,
      code_id uuid,
      -- 1, 2, 3 … of each code.
      version integer,
      -- Only what has changed.
      before jsonb,
      after jsonb,
      transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id()
    );
    CREATE INDEX changes_workspace ON changes (workspace_id, id);
    CREATE UNIQUE INDEX changes_version ON changes (code_id, version) WHERE code_id IS NOT NULL;
    CREATE INDEX changes_actor ON changes (workspace_id, actor_id, id) WHERE actor_id IS NOT NULL;
    CREATE INDEX changes_named ON changes (actor_id) WHERE actor_name IS NOT NULL;
    CREATE INDEX changes_person ON changes (subject_id) WHERE kind IN ('member', 'invitation');

    -- Codes whose entries were purged go on with the next number. No foreign key: a purge must not wait for a code.
    CREATE TABLE purged_versions (
      code_id uuid PRIMARY KEY,
      workspace_id uuid NOT NULL,
      version integer NOT NULL
    );
    CREATE INDEX purged_versions_workspace ON purged_versions (workspace_id);

    -- A row of a code or webhook as entries show it.
    CREATE FUNCTION recorded_row(source text, content jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
    BEGIN
      IF source = 'qr_codes' THEN
        -- The default end, which scans move, is no choice of anybody.
        IF coalesce(nullif(content -> 'default_expires_at', 'null') = content -> 'expires_at', true) THEN
          RETURN content || '{"expires_at": null}';
        END IF;
      ELSIF content ->> 'url' !~* '^https{0,1}://[^/\\?#]+/{0,1}$' THEN
        -- Addresses of webhooks often end in a secret.
        RETURN content || jsonb_build_object('url',
          coalesce(substring(content ->> 'url' FROM '^[hH][tT][tT][pP][sS]{0,1}://[^/\\?#]+'), '') || '/…');
      END IF;
      RETURN content;
    END $$;

    -- Codes that were deleted for good with more entries than one statement can erase.
    CREATE TABLE histories_to_erase (
      code_id uuid PRIMARY KEY,
      deleted_at timestamptz NOT NULL DEFAULT now()
    );

    -- Arguments: the kind; the field of a code that the row is, or ''; the recorded columns. Called for each row of a bulk
    -- change: what is recorded is measured in docs/decisions/0162. Times have the offset of the session's time zone.
    CREATE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      subject_kind text := TG_ARGV[0];
      part text := TG_ARGV[1];
      columns text[] := TG_ARGV[2:];
      former jsonb;
      latter jsonb;
      either jsonb;
      changed text;
      former_fields jsonb;
      latter_fields jsonb;
      either_fields jsonb;
      done text := CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'DELETE' THEN 'deleted' ELSE 'changed' END;
      owner uuid;
      subject uuid;
      named text;
      code uuid;
      latest changes;
      number integer;
      actor jsonb := nullif(current_setting('qrelay.actor', true), '');
    BEGIN
      IF TG_OP <> 'INSERT' THEN former := to_jsonb(OLD); END IF;
      IF TG_OP <> 'DELETE' THEN latter := to_jsonb(NEW); END IF;
      IF TG_TABLE_NAME IN ('qr_codes', 'webhook_endpoints') THEN
        former := recorded_row(TG_TABLE_NAME, former);
        latter := recorded_row(TG_TABLE_NAME, latter);
      END IF;
      -- Two paths are the same to whoever may not see them. A hash of them would let them check guesses.
      IF TG_TABLE_NAME = 'webhook_endpoints' AND TG_OP = 'UPDATE' AND former -> 'url' = latter -> 'url'
        AND to_jsonb(OLD) -> 'url' <> to_jsonb(NEW) -> 'url' THEN
        latter := latter || jsonb_build_object('url', (latter ->> 'url') || ' (another path)');
      END IF;
      either := coalesce(latter, former);
      owner := coalesce(either ->> 'workspace_id', either ->> 'user_id');
      subject := coalesce(either ->> 'id', either ->> 'user_id');
      -- An invitation by mail is named by its address; a link has no name.
      named := either ->> CASE subject_kind WHEN 'invitation' THEN 'email' ELSE 'name' END;

      IF part <> '' THEN
        done := 'changed';
        code := either ->> 'code_id';
        -- Versions are numbered under the lock of the code.
        SELECT coalesce(qr_codes.user_id, trashed_codes.user_id), name INTO owner, named
          FROM qr_codes LEFT JOIN trashed_codes ON code_id = id WHERE id = code FOR NO KEY UPDATE OF qr_codes;
        -- In the cascade of a deleted code.
        IF NOT FOUND THEN RETURN NULL; END IF;
      END IF;

      -- With the workspace, of which no history is left.
      IF owner::text = current_setting('qrelay.deleted_workspace', true) THEN RETURN NULL; END IF;

      IF TG_OP = 'UPDATE' AND part = '' THEN
        FOREACH changed IN ARRAY columns LOOP
          CONTINUE WHEN former -> changed IS NOT DISTINCT FROM latter -> changed;
          former_fields := coalesce(former_fields, '{}') || jsonb_build_object(changed, former -> changed);
          latter_fields := coalesce(latter_fields, '{}') || jsonb_build_object(changed, latter -> changed);
        END LOOP;
      ELSIF part = '' THEN
        either_fields := (SELECT jsonb_object_agg(field, either -> field) FROM unnest(columns) AS field WHERE either -> field <> 'null');
        IF TG_OP = 'INSERT' THEN latter_fields := either_fields; ELSE former_fields := either_fields; END IF;
      END IF;

      IF part <> '' THEN
        IF cardinality(columns) > 1 THEN
          former_fields := (SELECT jsonb_object_agg(field, former -> field) FROM unnest(columns) AS field WHERE former IS NOT NULL);
          latter_fields := (SELECT jsonb_object_agg(field, latter -> field) FROM unnest(columns) AS field WHERE latter IS NOT NULL);
        ELSE
          former_fields := former -> columns[1];
          latter_fields := latter -> columns[1];
        END IF;
        former_fields := jsonb_build_object(part, former_fields);
        latter_fields := jsonb_build_object(part, latter_fields);
        subject := code;
      ELSIF subject_kind = 'code' THEN
        code := coalesce(either ->> 'code_id', either ->> 'id');
        subject := code;
        IF TG_TABLE_NAME = 'trashed_codes' AND EXISTS (SELECT FROM qr_codes WHERE id = code) THEN
          -- It was restored.
          RETURN NULL;
        ELSIF TG_OP = 'UPDATE' AND former ->> 'user_id' IS DISTINCT FROM latter ->> 'user_id' THEN
          done := CASE WHEN owner IS NULL THEN 'trashed' ELSE 'restored' END;
          owner := coalesce(owner, (former ->> 'user_id')::uuid);
        END IF;
      ELSIF subject_kind = 'workspace' THEN
        owner := either ->> 'id';
        IF TG_OP = 'INSERT' AND EXISTS (SELECT FROM users WHERE id = owner) THEN RETURN NULL; END IF;
      ELSIF subject_kind = 'member' THEN
        subject := either ->> 'user_id';
        named := (SELECT email FROM users WHERE id = subject);
      END IF;

      -- Nothing that is recorded has changed.
      IF done = 'changed' AND former_fields IS NOT DISTINCT FROM latter_fields THEN RETURN NULL; END IF;
      -- In the cascade of a workspace that the previous release deletes.
      IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM workspaces WHERE id = owner) THEN RETURN NULL; END IF;

      IF code IS NOT NULL THEN
        IF done = 'deleted' THEN
          -- What is deleted for good is gone from the history, too. That it was deleted stays. A job erases what is older
          -- than the latest 1,000 versions; reads hide it until then.
          UPDATE changes SET before = NULL, after = NULL, subject_name = NULL
            WHERE code_id = code AND version > (SELECT max(version) - 1000 FROM changes WHERE code_id = code);
          INSERT INTO histories_to_erase (code_id)
            SELECT code FROM changes WHERE code_id = code HAVING max(version) - min(version) >= 1000
            ON CONFLICT DO NOTHING;
          former_fields := NULL;
          named := NULL;
        END IF;
        SELECT * INTO latest FROM changes WHERE code_id = code ORDER BY version DESC LIMIT 1;
        number := latest.version + 1;
        IF number IS NULL THEN
          number := 1 + coalesce((SELECT version FROM purged_versions WHERE code_id = code), 0);
        END IF;
        IF done = 'deleted' THEN DELETE FROM purged_versions WHERE code_id = code; END IF;
        IF done = 'changed' AND latest.transaction_id = pg_current_xact_id() AND latest.action IN ('created', 'changed') THEN
          former_fields := CASE latest.action WHEN 'changed' THEN former_fields || latest.before END;
          latter_fields := latest.after || latter_fields;
          IF former_fields IS NOT NULL THEN
            -- Drop fields that the transaction set back to their former value.
            SELECT jsonb_object_agg(key, value), jsonb_object_agg(key, latter_fields -> key)
              INTO former_fields, latter_fields
              FROM jsonb_each(former_fields) WHERE value IS DISTINCT FROM latter_fields -> key;
          END IF;
          IF latter_fields IS NULL THEN
            DELETE FROM changes WHERE id = latest.id;
          ELSE
            UPDATE changes SET before = former_fields, after = latter_fields, subject_name = left(named, 320)
              WHERE id = latest.id;
          END IF;
          RETURN NULL;
        END IF;
      END IF;

      INSERT INTO changes (workspace_id, actor_kind, actor_id, actor_name, request_id, kind, action, subject_id,
                           subject_name, code_id, version, before, after)
      VALUES (owner, actor ->> 'kind', (actor ->> 'id')::uuid, left(actor ->> 'name', 320), left(actor ->> 'requestId', 100),
              subject_kind, done, subject, left(named, 320), code,
              number, former_fields, latter_fields);
      RETURN NULL;
    END $$;

    ${Object.entries(recorded)
      .map(([table, columns]) => recordChanges(table, columns))
      .join('')}
    CREATE TRIGGER record_moved AFTER UPDATE OF user_id ON qr_codes
      FOR EACH ROW WHEN (OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION record_change('code', '');
    -- After delete_trashed_code, in the order of names.
    CREATE TRIGGER record_deleted AFTER DELETE ON trashed_codes
      FOR EACH ROW WHEN (${isOutlived('user_id')}) EXECUTE FUNCTION record_change('code', '');

    CREATE FUNCTION purge_changes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM changes WHERE workspace_id = OLD.id;
      DELETE FROM purged_versions WHERE workspace_id = OLD.id;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER purge_changes AFTER DELETE ON workspaces DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION purge_changes();

    -- People whose addresses have to be erased from the entries, by a job.
    CREATE TABLE deleted_people (
      id uuid PRIMARY KEY,
      email text NOT NULL,
      deleted_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE FUNCTION list_deleted_person() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deleted_people (id, email) VALUES (OLD.id, OLD.email) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;
    CREATE TRIGGER list_deleted_person AFTER DELETE ON users
      FOR EACH ROW EXECUTE FUNCTION list_deleted_person();

    -- Who asked for it, to whom the changes are attributed.
    ALTER TABLE style_applications ADD COLUMN actor jsonb;
    ALTER TABLE style_applications ALTER COLUMN actor SET DEFAULT nullif(current_setting('qrelay.actor', true), '')::jsonb;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await requireNoFoundedWorkspace(knex);
  const dropped = Object.keys(recorded).flatMap((table) =>
    ['record_created', 'record_changed', 'record_deleted'].map((name) => `DROP TRIGGER ${name} ON ${table};`),
  );
  await knex.raw(`
    ALTER TABLE style_applications DROP COLUMN actor;
    DROP TRIGGER purge_changes ON workspaces;
    DROP TRIGGER record_moved ON qr_codes;
    DROP TRIGGER record_deleted ON trashed_codes;
    ${dropped.join('\n')}
    DROP TRIGGER list_deleted_person ON users;
    DROP FUNCTION record_change, recorded_row, purge_changes, list_deleted_person;
    DROP TABLE changes, purged_versions, deleted_people, histories_to_erase;
  `);
}
