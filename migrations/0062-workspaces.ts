import type { Knex } from 'knex';

/**
 * What people make belongs to a workspace, of which they are members. The workspace of an account has the id of the account, so
 * that every `user_id` of what it owns stays as it is, and means the workspace from now on. Triggers keep this up for accounts
 * that the previous release creates, changes and deletes.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE workspaces (
      id uuid PRIMARY KEY,
      -- In addresses: /w/<slug>/codes.
      slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,39}$' AND right(slug, 1) <> '-'),
      name text NOT NULL,
      plan text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'pro')),
      -- Null, or those that differ from the plan: {"codes": 5000}.
      limits jsonb,
      codes_changed_at timestamptz,
      created_at timestamptz(3) NOT NULL
    );
    CREATE TABLE workspace_members (
      workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
      joined_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, user_id)
    );
    CREATE INDEX workspace_members_user ON workspace_members (user_id);

    -- The part of an address before the @, as far as a slug can show it, and a number if another workspace has it.
    CREATE FUNCTION free_slug(email text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE
      base text := trim(BOTH '-' FROM left(regexp_replace(lower(split_part(email, '@', 1)), '[^a-z0-9]+', '-', 'g'), 30));
      candidate text;
    BEGIN
      IF base = '' THEN base := 'workspace'; END IF;
      candidate := base;
      WHILE EXISTS (SELECT FROM workspaces WHERE slug = candidate) LOOP
        candidate := base || '-' || left(replace(gen_random_uuid()::text, '-', ''), 6);
      END LOOP;
      RETURN candidate;
    END $$;
    CREATE FUNCTION create_workspace(account users) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      LOOP
        BEGIN
          INSERT INTO workspaces (id, slug, name, plan, codes_changed_at, created_at)
          VALUES (account.id, free_slug(account.email), left(split_part(account.email, '@', 1), 60), account.plan,
                  account.codes_changed_at, account.created_at);
          INSERT INTO workspace_members (workspace_id, user_id, role, joined_at)
          VALUES (account.id, account.id, 'owner', account.created_at);
          RETURN;
        EXCEPTION WHEN unique_violation THEN
          -- Somebody else took the slug in the meantime, or the workspace is there already.
          IF EXISTS (SELECT FROM workspaces WHERE id = account.id) THEN RETURN; END IF;
        END;
      END LOOP;
    END $$;
    CREATE FUNCTION create_workspace_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM create_workspace(NEW);
      RETURN NULL;
    END $$;
    CREATE TRIGGER create_workspace_of_account AFTER INSERT ON users
      FOR EACH ROW EXECUTE FUNCTION create_workspace_of_account();

    -- The previous release reads and writes the plan of an account.
    CREATE FUNCTION copy_plan_to_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE workspaces SET plan = NEW.plan WHERE id = NEW.id AND plan <> NEW.plan;
      RETURN NULL;
    END $$;
    CREATE TRIGGER copy_plan_to_workspace AFTER UPDATE OF plan ON users
      FOR EACH ROW WHEN (OLD.plan <> NEW.plan) EXECUTE FUNCTION copy_plan_to_workspace();
    CREATE FUNCTION copy_plan_to_account() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE users SET plan = NEW.plan WHERE id = NEW.id AND plan <> NEW.plan;
      RETURN NULL;
    END $$;
    CREATE TRIGGER copy_plan_to_account AFTER UPDATE OF plan ON workspaces
      FOR EACH ROW WHEN (OLD.plan <> NEW.plan) EXECUTE FUNCTION copy_plan_to_account();

    CREATE FUNCTION delete_empty_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM workspaces AS w WHERE id = OLD.workspace_id
        AND NOT EXISTS (SELECT FROM workspace_members AS m WHERE m.workspace_id = w.id);
      RETURN NULL;
    END $$;
    -- At the end of the transaction: whoever moves the last member elsewhere adds another one before.
    CREATE CONSTRAINT TRIGGER delete_empty_workspace AFTER DELETE ON workspace_members DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION delete_empty_workspace();

    -- After the codes that the cascade of a workspace deletes are counted.
    DROP TRIGGER purge_code_counts ON users;
    CREATE CONSTRAINT TRIGGER purge_code_counts AFTER DELETE ON workspaces DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION purge_code_counts();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER create_workspace_of_account ON users;
    DROP TRIGGER copy_plan_to_workspace ON users;
    DROP FUNCTION create_workspace_of_account, create_workspace, copy_plan_to_workspace;
    DROP TABLE workspace_members, workspaces;
    DROP FUNCTION copy_plan_to_account, delete_empty_workspace, free_slug;
    CREATE CONSTRAINT TRIGGER purge_code_counts AFTER DELETE ON users DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION purge_code_counts();
  `);
}
