import type { AccountUse } from '../../../accounts/account-limits.ts';
import { type Limits, limitDefinitions, limitNames, planNames } from '../../../limits.ts';
import type { AccountFigures, User } from '../../../accounts/users.ts';
import { megabytes } from '../../../codes/files/stored-file.ts';
import { Timeline } from '../../codes/detail/charts.tsx';
import type { RecordedAction } from '../../../accounts/operator-actions.ts';
import { pluralize } from '../../../doctor/format.ts';
import { planTitles } from '../../workspace/plan-card.tsx';
import { type FormState, Input, Select } from '../../ui/controls.tsx';
import { Form } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import type { WorkspaceOfPerson } from '../../../workspaces/people.ts';
import { figure } from '../../ui/words.tsx';
import { AdminLayout, ReasonInput } from '../admin-layout.tsx';
import { ActionTable } from '../audit/audit-view.tsx';
import { AccountBadges } from './users-view.tsx';
import { useVisitor } from '../../ui/visitor.ts';

interface UserProps {
  user: User;
  figures: AccountFigures;
  workspaces: WorkspaceOfPerson[];
  /** Of the workspace that was created with the account. */
  use: AccountUse;
  /** The limits that it has unless others are set for it. Undefined: it was deleted. */
  planLimits: Limits | undefined;
  block: { reason: string | null; createdAt: Date } | undefined;
  actions: RecordedAction[];
  /** Undefined: there are too many codes to count them here. */
  scans: { date: string; scans: number }[] | undefined;
  form: FormState;
}

export function UserView(props: UserProps) {
  const { user, figures, workspaces, use, planLimits, block, actions, scans, form } = props;
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
      <Figures user={user} figures={figures} use={use} scans={scans} />
      {scans && (
        <section class="card">
          <h2>Scans of all codes</h2>
          <Timeline timeline={scans} />
        </section>
      )}
      <Workspaces workspaces={workspaces} />
      <div class="columns side-by-side">
        {planLimits && (
          <section class="card">
            <h2>Plan</h2>
            <Form action={`/admin/users/${user.id}/plan`} class="row">
              <Select
                form={form}
                name="plan"
                label="Plan"
                choices={planNames.map((name): [string, string] => [name, planTitles[name]])}
              />
              <button type="submit" class="quiet">
                Change plan
              </button>
            </Form>
          </section>
        )}
        <SignInHelp {...props} />
      </div>
      {planLimits && (
        <LimitsForm action={`/admin/users/${user.id}/limits`} planLimits={planLimits} form={form} />
      )}
      <BlockForm user={user} block={block} form={form} />
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

function Figures({ user, figures, use, scans }: Pick<UserProps, 'user' | 'figures' | 'use' | 'scans'>) {
  const total = scans?.reduce((sum, day) => sum + day.scans, 0);
  const shown: [string, string][] = [
    ['Codes', figure(use.codes)],
    ['Files', `${megabytes(use.fileBytes)} MB`],
    ['Active keys', figure(use.keys)],
    ['Webhooks', figure(use.webhooks)],
    ['Scans in 30 days', total === undefined ? 'very many' : figure(total)],
    ['Sessions', figure(figures.sessions)],
  ];
  return (
    <section class="card">
      <dl class="totals">
        {shown.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
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

interface LimitsFormProps {
  action: string;
  planLimits: Limits;
  form: FormState;
}

export function LimitsForm({ action, planLimits, form }: LimitsFormProps) {
  return (
    <section class="card">
      <h2>Limits</h2>
      <p>
        Leave a field empty for the limit of the plan. What there is beyond a lower limit stays; it cannot add
        to it.
      </p>
      <Form action={action}>
        <div class="columns side-by-side">
          {limitNames.map((name) => (
            <Input
              key={name}
              form={form}
              name={name}
              label={limitDefinitions[name].title}
              inputMode="numeric"
              autocomplete="off"
              hint={`Plan: ${figure(planLimits[name])}`}
            />
          ))}
        </div>
        <button type="submit" class="quiet">
          Change limits
        </button>
      </Form>
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

function BlockForm({ user, block, form }: Pick<UserProps, 'user' | 'block' | 'form'>) {
  if (user.isAdmin) return null;
  if (block)
    return (
      <section class="card danger">
        <h2>Blocked</h2>
        <p>
          Since <Moment at={block.createdAt} />.{' '}
          {block.reason ? <>Reason: {<bdi>{block.reason}</bdi>}</> : 'No reason was given.'}
        </p>
        <Form action={`/admin/users/${user.id}/unblock`}>
          <button type="submit" class="quiet">
            Unblock account
          </button>
        </Form>
      </section>
    );
  return (
    <section class="card danger">
      <h2>Block account</h2>
      <p>
        Nobody can sign in. Workspaces of which it is the only owner are blocked, too: their API keys are
        refused, and all their codes show that they are blocked. Nothing is deleted, and you can undo it.
      </p>
      <Form action={`/admin/users/${user.id}/block`}>
        <ReasonInput form={form} />
        <button type="submit" class="danger">
          Block account
        </button>
      </Form>
    </section>
  );
}
