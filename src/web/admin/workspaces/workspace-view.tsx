import type { AccountUse } from '../../../accounts/account-limits.ts';
import type { RecordedAction } from '../../../accounts/operator-actions.ts';
import { megabytes } from '../../../codes/files/stored-file.ts';
import { type Limits, limitDefinitions, limitNames, planNames } from '../../../limits.ts';
import type { Person } from '../../../workspaces/people.ts';
import type { Workspace } from '../../../workspaces/workspace.ts';
import { Timeline } from '../../codes/detail/charts.tsx';
import { type FormState, Input, Select } from '../../ui/controls.tsx';
import { Form } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { figure } from '../../ui/words.tsx';
import { planTitles } from '../../workspace/plan-card.tsx';
import { AdminLayout, type Block, BlockForm, Totals } from '../admin-layout.tsx';
import { ActionTable } from '../audit/audit-view.tsx';

interface WorkspaceProps {
  workspace: Workspace;
  members: Person[];
  use: AccountUse;
  planLimits: Limits;
  block: Block | undefined;
  /** Undefined: there are too many codes to count them here. */
  scans: { date: string; scans: number }[] | undefined;
  actions: RecordedAction[];
  form: FormState;
}

/** A workspace for operators: its members, plan and limits, and nothing of what its codes contain. */
export function WorkspaceAdminView(props: WorkspaceProps) {
  const { workspace, members, use, planLimits, block, scans, actions, form } = props;
  const scanTotal = scans?.reduce((sum, day) => sum + day.scans, 0);
  const path = `/admin/workspaces/${workspace.id}`;
  const shown: [string, string][] = [
    ['Codes', figure(use.codes)],
    ['Files', `${megabytes(use.fileBytes)} MB`],
    ['Active keys', figure(use.keys)],
    ['Webhooks', figure(use.webhooks)],
    ['Scans in 30 days', scanTotal === undefined ? 'very many' : figure(scanTotal)],
  ];
  return (
    <AdminLayout
      title={workspace.name}
      at="/admin/workspaces"
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
        <Totals totals={shown} />
        <p class="quiet">
          Created <Moment at={workspace.createdAt} />. Address <code>/w/{workspace.slug}</code>. Workspace{' '}
          <code>{workspace.id}</code>
        </p>
      </section>
      {scans && (
        <section class="card">
          <h2>Scans of all codes</h2>
          <Timeline timeline={scans} />
        </section>
      )}
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
      <BlockForm path={path} what="workspace" block={block} form={form}>
        Its API keys are refused, and all its codes show that they are blocked. Members can sign in and are
        told. Nothing is deleted, and you can undo it.
      </BlockForm>
      <section class="card">
        <h2>Changes by operators</h2>
        <ActionTable actions={actions} isOfOneTarget />
      </section>
    </AdminLayout>
  );
}

interface LimitsFormProps {
  action: string;
  planLimits: Limits;
  form: FormState;
}

function LimitsForm({ action, planLimits, form }: LimitsFormProps) {
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
