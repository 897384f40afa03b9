import type { Knex } from 'knex';
import { recordChanges } from './0071-changes.ts';

/** Who was invited, and which invitations were revoked. That somebody accepted one is an entry about the member. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    recordChanges('invitations', {
      kind: 'invitation',
      columns: ['email', 'role', 'max_uses', 'expires_at', 'revoked_at'],
      // Housekeeping deletes those that have expired.
      whenDeleted: 'false',
    }),
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER record_created ON invitations;
    DROP TRIGGER record_changed ON invitations;
    DROP TRIGGER record_deleted ON invitations;
  `);
}
