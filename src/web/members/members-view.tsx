import type { ListedInvitation } from '../../workspaces/invitations.ts';
import { type Member, roleNames, roles, roleTexts } from '../../workspaces/members.ts';
import type { FormState } from '../ui/controls.tsx';
import { Form, Page } from '../ui/layout.tsx';
import { Table } from '../ui/table.tsx';
import { Moment } from '../ui/time.tsx';
import { WorkspaceTabs } from '../workspace/workspace-tabs.tsx';
import { type InviteProps, InviteForms } from './invite-view.tsx';

interface MembersProps {
  workspace: string;
  ownId: string;
  isOwner: boolean;
  members: Member[];
  invitations: ListedInvitation[];
  /** For owners. */
  invite: InviteProps | false;
}

export function MembersView({ workspace, ownId, isOwner, members, invitations, invite }: MembersProps) {
  const owners = members.filter(({ role }) => role === 'owner');
  const isLastOwner = (userId: string) => owners.length === 1 && owners[0]?.userId === userId;
  return (
    <Page title="Members" at="/workspace" styles={['members', 'workspace']} form={refusedOf(invite)}>
      <WorkspaceTabs at="/members" />
      <section class="card">
        <h2>
          <bdi>{workspace}</bdi>
        </h2>
        <MemberTable
          members={members}
          ownId={ownId}
          canChange={({ userId }) => isOwner && !isLastOwner(userId)}
          canRemove={({ userId }) => isOwner && userId !== ownId}
        />
        <details class="roles">
          <summary>What each role can do</summary>
          <dl>
            {roles.map((role) => (
              <div key={role}>
                <dt>{roleNames[role]}</dt>
                <dd>{roleTexts[role]}</dd>
              </div>
            ))}
          </dl>
        </details>
        {isLastOwner(ownId) ? (
          members.length > 1 && (
            <p class="hint">You are the only owner. To leave, make somebody else an owner first.</p>
          )
        ) : (
          <p class="after">
            <a class="button small quiet danger" href="/members/leave" data-dialog>
              Leave the workspace
            </a>
          </p>
        )}
      </section>
      {invitations.length > 0 && (
        <section class="card">
          <h2>Open invitations</h2>
          <InvitationTable invitations={invitations} />
        </section>
      )}
      {invite && <InviteForms {...invite} />}
    </Page>
  );
}

const refusedOf = (invite: InviteProps | false): FormState | undefined =>
  invite ? [invite.mail, invite.link].find(({ error, errors }) => error || errors.length > 0) : undefined;

interface MemberTableProps {
  members: Member[];
  ownId: string;
  canChange(member: Member): boolean;
  canRemove(member: Member): boolean;
}

function MemberTable({ members, ownId, canChange, canRemove }: MemberTableProps) {
  const actions = {
    name: 'Actions',
    isAction: true,
    cell: (member: Member) => canRemove(member) && <MemberActions {...member} />,
  };
  return (
    <Table
      class="members"
      caption="Members of the workspace, owners first"
      rows={members}
      keyOf={({ userId }) => userId}
      columns={[
        {
          name: 'Member',
          cell: ({ email, userId }) => (
            <>
              <bdi>{email}</bdi> {userId === ownId && <span class="badge">you</span>}
            </>
          ),
        },
        {
          name: 'Role',
          cell: (member) => (canChange(member) ? <RoleForm {...member} /> : roleNames[member.role]),
        },
        { name: 'Joined', cell: ({ joinedAt }) => <Moment at={joinedAt} show="day" /> },
        ...(members.some(canRemove) ? [actions] : []),
      ]}
    />
  );
}

function RoleForm({ userId, email, role }: Member) {
  return (
    <Form action={`/members/${userId}/role`} class="role">
      <select name="role" aria-label={`Role of ${email}`}>
        {roles.map((each) => (
          <option key={each} value={each} selected={each === role}>
            {roleNames[each]}
          </option>
        ))}
      </select>
      <button type="submit" class="small quiet" aria-label={`Change the role of ${email}`}>
        Change
      </button>
    </Form>
  );
}

function MemberActions({ userId, email }: Member) {
  return (
    <span class="row">
      <a
        class="button small quiet"
        href={`/members/${userId}/hand-over`}
        data-dialog
        aria-label={`Hand over to ${email}`}
      >
        Hand over
      </a>
      <a
        class="button small quiet danger"
        href={`/members/${userId}/remove`}
        data-dialog
        aria-label={`Remove ${email}`}
      >
        Remove
      </a>
    </span>
  );
}

function InvitationTable({ invitations }: { invitations: ListedInvitation[] }) {
  return (
    <Table
      class="members"
      caption="Invitations that can still be accepted, newest first"
      rows={invitations}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Invited',
          cell: ({ email, note, uses, maxUses }) =>
            email === null ? (
              <>
                {note === null ? 'Link' : <bdi>{note}</bdi>}
                <span class="uses">
                  {note !== null && 'Link. '}
                  {usesInWords(uses, maxUses)}
                </span>
              </>
            ) : (
              <bdi>{email}</bdi>
            ),
        },
        { name: 'Role', cell: ({ role }) => roleNames[role] },
        { name: 'By', cell: ({ inviter }) => <bdi>{inviter}</bdi> },
        { name: 'Expires', cell: ({ expiresAt }) => <Moment at={expiresAt} show="bare" /> },
        {
          name: 'Revoke',
          isAction: true,
          cell: ({ id, email, note }) => (
            <Form action={`/members/invitations/${id}/revoke`}>
              <button
                type="submit"
                class="small quiet danger"
                aria-label={
                  email === null
                    ? `Revoke the link${note === null ? '' : ` “${note}”`}`
                    : `Revoke the invitation of ${email}`
                }
              >
                Revoke
              </button>
            </Form>
          ),
        },
      ]}
    />
  );
}

/** Each person uses a link once. */
function usesInWords(uses: number, maxUses: number): string {
  if (maxUses === 1) return 'For one person.';
  return uses === 0
    ? `For up to ${maxUses} people. Nobody has used it yet.`
    : `Used by ${uses} of up to ${maxUses} people.`;
}
