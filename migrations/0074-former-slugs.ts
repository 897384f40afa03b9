import type { Knex } from 'knex';
import { freeSlug, hasWorkspace, requireNoFoundedWorkspace } from './0069-workspaces-of-their-own.ts';

const taken = `${hasWorkspace} OR is_slug_reserved(candidate)`;

/** Earlier slugs of a workspace lead to it, and no other workspace can take them meanwhile, whichever release creates it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE former_slugs (
      slug text PRIMARY KEY CHECK (length(slug) <= 40),
      workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      replaced_at timestamptz(3) NOT NULL
    );
    CREATE INDEX former_slugs_workspace ON former_slugs (workspace_id, replaced_at);

    CREATE FUNCTION refuse_former_slug() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM former_slugs WHERE slug = NEW.slug AND workspace_id <> NEW.id) THEN
        RAISE unique_violation USING MESSAGE = 'another workspace had this slug before';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse_former_slug BEFORE INSERT OR UPDATE OF slug ON workspaces
      FOR EACH ROW EXECUTE FUNCTION refuse_former_slug();
    ${freeSlug(`${taken} OR EXISTS (SELECT FROM former_slugs WHERE slug = candidate)`)}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await requireNoFoundedWorkspace(knex);
  await knex.raw(`
    ${freeSlug(taken)}
    DROP TRIGGER refuse_former_slug ON workspaces;
    DROP FUNCTION refuse_former_slug;
    DROP TABLE former_slugs;
  `);
}
