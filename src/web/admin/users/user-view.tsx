import type { AccountFigures, User } from '../../../accounts/users.ts';
import type { RecordedAction } from '../../../accounts/operator-actions.ts';
import { pluralize } from '../../../doctor/format.ts';
import { planTitles } from '../../workspace/plan-card.tsx';
import type { FormState } from '../../ui/controls.tsx';
import { Form } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import type { WorkspaceOfPerson } from '../../../workspaces/people.ts';
import { figure } from '../../ui/words.tsx';
import { AdminLayout, type Block, BlockForm, Totals } from '../admin-layout.tsx';
import { ActionTable } from '../audit/audit-view.tsx';
import { AccountBadges } from './users-view.tsx';
import { useVisitor } from '../../ui/visitor.ts';

interface UserProps {
  user: User;
  figures: AccountFigures;
  workspaces: WorkspaceOfPerson[];
  block: Block | undefined;
  actions: RecordedAction[];
  form: FormState;
}

export function UserView(props: UserProps) {
  const { user, figures, workspaces, block, actions, form } = props;
  return (
    <AdminLayout
      title={user.email}
      at="/admin/users"
      form={form}
      heading={
        <div class="heading">
          <h1>
            <bdi>{user.email}</bdi>
          </h1>
          <p class="total">
            <AccountBadges isAdmin={user.isAdmin} isBlocked={block !== undefined} />
          </p>
        </div>
      }
    >
      <Figures user={user} figures={figures} />
      <Workspaces workspaces={workspaces} />
      <SignInHelp {...props} />
      <AccountBlock user={user} block={block} form={form} />
      <section class="card">
        <h2>Changes by operators</h2>
        <ActionTable actions={actions} isOfOneTarget />
      </section>
    </AdminLayout>
  );
}

function Workspaces({ workspaces }: Pick<UserProps, 'workspaces'>) {
  return (
    <section class="card">
      <h2>Workspaces</h2>
      {workspaces.length === 0 ? (
        <p>The account is not a member of a workspace.</p>
      ) : (
        <Table
          class="stacked"
          caption="Workspaces of the account"
          rows={workspaces}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Workspace',
              cell: ({ id, name }) => (
                <a href={`/admin/workspaces/${id}`}>
                  <bdi>{name}</bdi>
                </a>
              ),
            },
            { name: 'Role', cell: ({ role }) => role },
            { name: 'Plan', cell: ({ plan }) => planTitles[plan] },
            { name: 'Members', cell: ({ members }) => figure(members) },
          ]}
        />
      )}
    </section>
  );
}

function Figures({ user, figures }: Pick<UserProps, 'user' | 'figures'>) {
  return (
    <section class="card">
      <Totals totals={[['Sessions', figure(figures.sessions)]]} />
      <p class="quiet">
        Created <Moment at={user.createdAt} />.{' '}
        {figures.lastSeenAt && (
          <>
            Last seen <Moment at={figures.lastSeenAt} />.{' '}
          </>
        )}
        {user.passwordHash === null && 'No password is set: the account is used with keys only. '}
        {figures.inactiveKeys > 0 && `${pluralize(figures.inactiveKeys, 'revoked or expired key')}. `}
        Account <code>{user.id}</code>
      </p>
    </section>
  );
}

function SignInHelp({ user, block, figures }: UserProps) {
  const { provider } = useVisitor();
  return (
    <section class="card">
      <h2>Sign-in help</h2>
      {user.isAdmin ? (
        <p>
          Sign-in links and passwords of operators are managed on the command line, with{' '}
          <code>qrelay user password</code>.
        </p>
      ) : block ? (
        <p>The account is blocked: unblock it before you help its owner to sign in.</p>
      ) : provider?.isOnly ? (
        <p>
          Everybody signs in with <bdi>{provider.name}</bdi>. If its owner has another account there now,
          remove the link to the old one with <code>qrelay user identity</code>.
        </p>
      ) : (
        <>
          <p>
            A link with which the owner chooses a new password. It works once, for an hour, and until the
            password changes. Give it to the owner and nobody else.
          </p>
          <Form action={`/admin/users/${user.id}/link`} class="spaced">
            <button type="submit" class="quiet">
              Create sign-in link
            </button>
          </Form>
        </>
      )}
      {figures.sessions > 0 && (
        <Form action={`/admin/users/${user.id}/sessions`}>
          <button type="submit" class="quiet">
            End all sessions
          </button>
        </Form>
      )}
    </section>
  );
}

function AccountBlock({ user, block, form }: Pick<UserProps, 'user' | 'block' | 'form'>) {
  if (user.isAdmin) return null;
  return (
    <BlockForm path={`/admin/users/${user.id}`} what="account" block={block} form={form}>
      Nobody can sign in. Workspaces of which it is the only owner are blocked, too: their API keys are
      refused, and all their codes show that they are blocked. Nothing is deleted, and you can undo it.
    </BlockForm>
  );
}
