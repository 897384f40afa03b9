import type { Knex } from 'knex';
import { requireNoFoundedWorkspace } from './0069-workspaces-of-their-own.ts';
import { recordChanges } from './0071-changes.ts';

/**
 * Who was invited, and which invitations were revoked. That somebody accepted one is an entry about the member. An entry has
 * the address only while the invitation is stored: whoever never joins has no account whose deletion would erase it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    recordChanges('invitations', {
      kind: 'invitation',
      columns: ['role', 'max_uses', 'expires_at', 'revoked_at'],
      owner: 'workspace_id',
      // Housekeeping deletes those that have expired.
      whenDeleted: 'false',
    }),
  );
  await knex.raw(`
    CREATE FUNCTION erase_invitee() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- Empty, so that it is not taken for a link.
      UPDATE changes SET subject_name = '' WHERE kind = 'invitation' AND subject_id = OLD.id;
      RETURN NULL;
    END $$;
    CREATE TRIGGER erase_invitee AFTER DELETE ON invitations
      FOR EACH ROW WHEN (OLD.email IS NOT NULL) EXECUTE FUNCTION erase_invitee();`);
}

export async function down(knex: Knex): Promise<void> {
  await requireNoFoundedWorkspace(knex);
  await knex.raw(`
    DROP TRIGGER record_created ON invitations;
    DROP TRIGGER record_changed ON invitations;
    DROP TRIGGER record_deleted ON invitations;
    DROP TRIGGER erase_invitee ON invitations;
    DROP FUNCTION erase_invitee;
  `);
}
