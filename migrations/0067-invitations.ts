import type { Knex } from 'knex';

/** Invitations to workspaces, by mail to one address or as a link for several people. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE invitations (
      id uuid PRIMARY KEY,
      workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
      role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
      -- Null for a link. Otherwise only the account with this address can accept.
      email text CHECK (length(email) <= 254),
      -- What an owner noted about a link, to tell it from others.
      note text CHECK (length(note) <= 100),
      -- Null until the mail is written.
      token_hash bytea UNIQUE CHECK (octet_length(token_hash) = 32),
      expires_at timestamptz(3) NOT NULL,
      max_uses int NOT NULL CHECK (max_uses BETWEEN 1 AND 100),
      uses int NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND max_uses),
      created_by uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      created_at timestamptz(3) NOT NULL,
      -- Kept until they expire: mails of the last day are counted.
      revoked_at timestamptz(3),
      CHECK (email IS NULL OR max_uses = 1)
    );
    CREATE INDEX invitations_workspace ON invitations (workspace_id, created_at);
    CREATE INDEX invitations_creator ON invitations (created_by);
    CREATE INDEX invitations_expiry ON invitations (expires_at);

    -- How many mails a person has sent. Outlives the workspaces, which anybody can found and delete.
    CREATE TABLE invitation_mails (
      inviter_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      sent_at timestamptz(3) NOT NULL,
      mails int NOT NULL
    );
    CREATE INDEX invitation_mails_inviter ON invitation_mails (inviter_id, sent_at);
    CREATE INDEX invitation_mails_sent ON invitation_mails (sent_at);

    CREATE FUNCTION revoke_invitations_of_member() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE invitations SET revoked_at = now()
      WHERE workspace_id = OLD.workspace_id AND created_by = OLD.user_id
        -- Only those that can be accepted: each is an entry of the history.
        AND revoked_at IS NULL AND uses < max_uses AND expires_at > now();
      RETURN NULL;
    END $$;
    CREATE TRIGGER revoke_invitations_of_removed AFTER DELETE ON workspace_members
      FOR EACH ROW WHEN (OLD.role = 'owner') EXECUTE FUNCTION revoke_invitations_of_member();
    CREATE TRIGGER revoke_invitations_of_demoted AFTER UPDATE OF role ON workspace_members
      FOR EACH ROW WHEN (OLD.role = 'owner' AND NEW.role <> 'owner') EXECUTE FUNCTION revoke_invitations_of_member();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER revoke_invitations_of_removed ON workspace_members;
    DROP TRIGGER revoke_invitations_of_demoted ON workspace_members;
    DROP FUNCTION revoke_invitations_of_member;
    DROP TABLE invitations, invitation_mails;
  `);
}
