import type { AccountUse } from '../../../accounts/account-limits.ts';
import type { RecordedAction } from '../../../accounts/operator-actions.ts';
import { megabytes } from '../../../codes/files/stored-file.ts';
import { type Limits, planNames } from '../../../limits.ts';
import type { Person } from '../../../workspaces/people.ts';
import type { Workspace } from '../../../workspaces/workspace.ts';
import { type FormState, Select } from '../../ui/controls.tsx';
import { Form } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { figure } from '../../ui/words.tsx';
import { planTitles } from '../../workspace/plan-card.tsx';
import { AdminLayout, ReasonInput } from '../admin-layout.tsx';
import { ActionTable } from '../audit/audit-view.tsx';
import { LimitsForm } from '../users/user-view.tsx';

interface WorkspaceProps {
  workspace: Workspace;
  members: Person[];
  use: AccountUse;
  planLimits: Limits;
  block: { reason: string | null; createdAt: Date } | undefined;
  actions: RecordedAction[];
  form: FormState;
}

/** A workspace for operators: its members, plan and limits, and nothing of what its codes contain. */
export function WorkspaceAdminView(props: WorkspaceProps) {
  const { workspace, members, use, planLimits, block, actions, form } = props;
  const path = `/admin/workspaces/${workspace.id}`;
  const shown: [string, string][] = [
    ['Codes', figure(use.codes)],
    ['Files', `${megabytes(use.fileBytes)} MB`],
    ['Active keys', figure(use.keys)],
    ['Webhooks', figure(use.webhooks)],
  ];
  return (
    <AdminLayout
      title={workspace.name}
      at="/admin/users"
      form={form}
      heading={
        <div class="heading">
          <h1>
            <bdi>{workspace.name}</bdi>
          </h1>
          {block && (
            <p class="total">
              <span class="badge bad">blocked</span>
            </p>
          )}
        </div>
      }
    >
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
          Created <Moment at={workspace.createdAt} />. Address <code>/w/{workspace.slug}</code>. Workspace{' '}
          <code>{workspace.id}</code>
        </p>
      </section>
      <section class="card">
        <h2>Members</h2>
        <Table
          class="stacked"
          caption="Members, owners first"
          rows={members}
          keyOf={({ userId }) => userId}
          columns={[
            {
              name: 'Account',
              cell: ({ userId, email }) => (
                <a href={`/admin/users/${userId}`}>
                  <bdi>{email}</bdi>
                </a>
              ),
            },
            { name: 'Role', cell: ({ role }) => role },
            { name: 'Since', cell: ({ joinedAt }) => <Moment at={joinedAt} show="day" /> },
          ]}
        />
      </section>
      <section class="card">
        <h2>Plan</h2>
        <Form action={`${path}/plan`} class="row">
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
      <LimitsForm action={`${path}/limits`} planLimits={planLimits} form={form} />
      <BlockForm path={path} block={block} form={form} />
      <section class="card">
        <h2>Changes by operators</h2>
        <ActionTable actions={actions} isOfOneTarget />
      </section>
    </AdminLayout>
  );
}

function BlockForm({ path, block, form }: { path: string } & Pick<WorkspaceProps, 'block' | 'form'>) {
  if (block)
    return (
      <section class="card danger">
        <h2>Blocked</h2>
        <p>
          Since <Moment at={block.createdAt} />.{' '}
          {block.reason ? <>Reason: {<bdi>{block.reason}</bdi>}</> : 'No reason was given.'}
        </p>
        <Form action={`${path}/unblock`}>
          <button type="submit" class="quiet">
            Unblock workspace
          </button>
        </Form>
      </section>
    );
  return (
    <section class="card danger">
      <h2>Block workspace</h2>
      <p>
        Its API keys are refused, and all its codes show that they are blocked. Members can sign in and are
        told. Nothing is deleted, and you can undo it.
      </p>
      <Form action={`${path}/block`}>
        <ReasonInput form={form} />
        <button type="submit" class="danger">
          Block workspace
        </button>
      </Form>
    </section>
  );
}
