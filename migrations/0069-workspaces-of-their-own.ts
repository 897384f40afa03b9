import type { Knex } from 'knex';

/** The logo of a brand stays as long as the owner of the brand. */
const keepBrandLogo = (owners: 'users' | 'workspaces') => `
  CREATE OR REPLACE FUNCTION keep_brand_logo() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM brands JOIN ${owners} AS owner ON owner.id = brands.user_id WHERE brands.logo = OLD.id) THEN
      RETURN NULL;
    END IF;
    RETURN OLD;
  END $$;`;

/** Workspaces of which this person is the only owner. `person` is an expression. */
const ownedAlone = (person: string) => `
  FROM workspace_members AS own WHERE own.user_id = ${person} AND own.role = 'owner' AND NOT EXISTS (
    SELECT FROM workspace_members AS other
    WHERE other.workspace_id = own.workspace_id AND other.role = 'owner' AND other.user_id <> own.user_id
  )`;

/** For going back: 0064 refuses as well, but by then the history is gone. */
export async function requireNoFoundedWorkspace(knex: Knex): Promise<void> {
  const { rows } = (await knex.raw(
    'SELECT count(*)::int AS count FROM workspaces WHERE NOT EXISTS (SELECT FROM users WHERE users.id = workspaces.id)',
  )) as { rows: [{ count: number }] };
  if (rows[0].count > 0)
    throw new Error(
      `The previous release has no place for ${rows[0].count} workspaces that are not the first one of an account. Delete them first.`,
    );
}

/** The part of an address before the @, as far as a slug can show it, and a number unless the slug is free. */
export const freeSlug = (isTaken: string) => `
  CREATE OR REPLACE FUNCTION free_slug(email text) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    base text := trim(BOTH '-' FROM left(regexp_replace(lower(split_part(email, '@', 1)), '[^a-z0-9]+', '-', 'g'), 30));
    candidate text;
  BEGIN
    IF base = '' THEN base := 'workspace'; END IF;
    candidate := base;
    WHILE ${isTaken} LOOP
      candidate := base || '-' || left(replace(gen_random_uuid()::text, '-', ''), 6);
    END LOOP;
    RETURN candidate;
  END $$;`;

export const hasWorkspace = 'EXISTS (SELECT FROM workspaces WHERE slug = candidate)';

/**
 * Workspaces that outlive the account they were created with: blocked on their own, and never deleted with an account while
 * they have other members. Also, who created keys and webhooks.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ${keepBrandLogo('workspaces')}

    -- The address is the one at that time. No foreign keys: they stay when the person is gone. Null: an earlier release, the
    -- command line or a program.
    ALTER TABLE api_keys ADD COLUMN created_by uuid, ADD COLUMN created_by_email text;
    ALTER TABLE webhook_endpoints
      ADD COLUMN created_by uuid, ADD COLUMN created_by_email text,
      ADD COLUMN changed_by uuid, ADD COLUMN changed_by_email text;

    ALTER TABLE blocks
      DROP CONSTRAINT blocks_kind_check,
      ADD CONSTRAINT blocks_kind_check CHECK (kind IN ('code', 'host', 'account', 'workspace')),
      -- The blocked account that is this workspace's only owner; unblocked with it.
      ADD COLUMN account_id uuid;
    CREATE FUNCTION block_workspaces_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO blocks (kind, value, reason, created_at, account_id)
      SELECT 'workspace', own.workspace_id::text, NEW.reason, NEW.created_at, own.user_id
      ${ownedAlone('NEW.value::uuid')}
      ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$;
    CREATE TRIGGER block_workspaces_of_account AFTER INSERT ON blocks
      FOR EACH ROW WHEN (NEW.kind = 'account') EXECUTE FUNCTION block_workspaces_of_account();
    CREATE FUNCTION unblock_workspaces_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM blocks WHERE kind = 'workspace' AND account_id = OLD.value::uuid;
      RETURN NULL;
    END $$;
    CREATE TRIGGER unblock_workspaces_of_account AFTER DELETE ON blocks
      FOR EACH ROW WHEN (OLD.kind = 'account') EXECUTE FUNCTION unblock_workspaces_of_account();
    INSERT INTO blocks (kind, value, reason, created_at, account_id)
    SELECT 'workspace', own.workspace_id::text, block.reason, block.created_at, own.user_id
    FROM blocks AS block CROSS JOIN LATERAL (SELECT own.* ${ownedAlone('block.value::uuid')}) AS own
    WHERE block.kind = 'account';

    -- The previous release deletes the codes of an account before the account. Raising an error brings them back.
    CREATE FUNCTION keep_shared_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('qrelay.left_workspaces', true) = OLD.id::text THEN RETURN OLD; END IF;
      IF EXISTS (
        SELECT FROM workspace_members AS other WHERE other.user_id <> OLD.id AND (
          other.workspace_id = OLD.id OR other.workspace_id IN (SELECT own.workspace_id ${ownedAlone('OLD.id')})
        )
      ) THEN
        RAISE EXCEPTION 'The account % is the only owner of a workspace with other members, or its founder', OLD.id;
      END IF;
      RETURN OLD;
    END $$;
    CREATE TRIGGER keep_shared_workspace BEFORE DELETE ON users
      FOR EACH ROW EXECUTE FUNCTION keep_shared_workspace();

    -- Who joined a workspace by signing in with the OpenID provider. It outlives membership, identity and account, so that
    -- nobody who was removed joins again.
    CREATE TABLE automatic_joins (
      workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      -- Of issuer and subject.
      identity_hash bytea NOT NULL CHECK (octet_length(identity_hash) = 32),
      joined_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, identity_hash)
    );

    CREATE TABLE reserved_slugs (
      slug text PRIMARY KEY,
      reserved_until timestamptz NOT NULL
    );
    CREATE INDEX reserved_slugs_end ON reserved_slugs (reserved_until);
    -- Would look like pages of the service, or like somebody who speaks for it.
    INSERT INTO reserved_slugs (slug, reserved_until)
    SELECT slug, 'infinity' FROM unnest(ARRAY['admin', 'api', 'help', 'new', 'operator', 'qrelay', 'security', 'settings',
                                              'support', 'system', 'www']) AS slug;
    CREATE FUNCTION is_slug_reserved(candidate text) RETURNS boolean LANGUAGE sql STABLE AS $$
      SELECT EXISTS (SELECT FROM reserved_slugs WHERE slug = candidate AND reserved_until > now())
    $$;
    ${freeSlug(`${hasWorkspace} OR is_slug_reserved(candidate)`)}
    -- An operator who assigns a reserved slug names it in this setting.
    CREATE FUNCTION refuse_reserved_slug() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND NEW.slug = OLD.slug THEN RETURN NEW; END IF;
      IF is_slug_reserved(NEW.slug) AND NEW.slug IS DISTINCT FROM current_setting('qrelay.assigned_slug', true) THEN
        RAISE unique_violation USING MESSAGE = 'this slug is reserved';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse_reserved_slug BEFORE INSERT OR UPDATE OF slug ON workspaces
      FOR EACH ROW EXECUTE FUNCTION refuse_reserved_slug();
    -- Links to it must not lead to a workspace of somebody else at once.
    CREATE FUNCTION reserve_deleted_slug() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO reserved_slugs AS r (slug, reserved_until) VALUES (OLD.slug, now() + interval '90 days')
      ON CONFLICT (slug) DO UPDATE SET reserved_until = greatest(r.reserved_until, EXCLUDED.reserved_until);
      RETURN NULL;
    END $$;
    CREATE TRIGGER reserve_deleted_slug AFTER DELETE ON workspaces
      FOR EACH ROW EXECUTE FUNCTION reserve_deleted_slug();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${freeSlug(hasWorkspace)}
    DROP TRIGGER refuse_reserved_slug ON workspaces;
    DROP TRIGGER reserve_deleted_slug ON workspaces;
    DROP FUNCTION refuse_reserved_slug, reserve_deleted_slug, is_slug_reserved;
    DROP TABLE automatic_joins, reserved_slugs;
    DROP TRIGGER keep_shared_workspace ON users;
    DROP TRIGGER block_workspaces_of_account ON blocks;
    DROP TRIGGER unblock_workspaces_of_account ON blocks;
    DROP FUNCTION keep_shared_workspace, block_workspaces_of_account, unblock_workspaces_of_account;
    -- The previous release knows a workspace as the account that it was created with.
    INSERT INTO blocks (kind, value, reason, created_at)
      SELECT 'account', value, reason, created_at FROM blocks WHERE kind = 'workspace' AND account_id IS NULL
        AND EXISTS (SELECT FROM users WHERE users.id = blocks.value::uuid)
      ON CONFLICT DO NOTHING;
    DELETE FROM blocks WHERE kind = 'workspace';
    ALTER TABLE blocks
      DROP COLUMN account_id,
      DROP CONSTRAINT blocks_kind_check,
      ADD CONSTRAINT blocks_kind_check CHECK (kind IN ('code', 'host', 'account'));
    ALTER TABLE webhook_endpoints
      DROP COLUMN created_by, DROP COLUMN created_by_email, DROP COLUMN changed_by, DROP COLUMN changed_by_email;
    ALTER TABLE api_keys DROP COLUMN created_by, DROP COLUMN created_by_email;
    ${keepBrandLogo('users')}
  `);
}
