import {
  isAboutWorkspace,
  operatorActions,
  type RecordedAction,
} from '../../../accounts/operator-actions.ts';
import { Empty } from '../../ui/empty.tsx';

import { Pages, Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { AdminLayout } from '../admin-layout.tsx';

interface AuditProps {
  actions: RecordedAction[];
  firstPage: string | undefined;
  nextPage: string | undefined;
}

export function AuditView({ actions, ...pages }: AuditProps) {
  return (
    <AdminLayout title="Audit log" at="/admin/audit">
      <p class="quiet lead">
        Every change by an operator to accounts, workspaces, keys, blocks and jobs: on these pages, on the
        queue board and on the command line.
      </p>
      {actions.length === 0 ? (
        <Empty icon="file-text" title="No changes yet">
          <p>The first change by an operator appears here, with who made it and when.</p>
        </Empty>
      ) : (
        <section class="card">
          <ActionTable actions={actions} />
        </section>
      )}
      <Pages {...pages} />
    </AdminLayout>
  );
}

interface ActionTableProps {
  actions: RecordedAction[];
  /** On the page of the target, which need not be named. */
  isOfOneTarget?: boolean;
}

/** Changes by operators, newest first. */
export function ActionTable({ actions, isOfOneTarget = false }: ActionTableProps) {
  if (actions.length === 0) return <p>No changes yet.</p>;
  const target = { name: 'Target', cell: (action: RecordedAction) => <Target {...action} /> };
  return (
    <Table
      class="stacked"
      caption="Changes by operators, newest first"
      rows={actions}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Change', cell: titleOf },
        ...(isOfOneTarget ? [] : [target]),
        { name: 'Note', cell: (action) => <Note {...action} /> },
        { name: 'Operator', cell: (action) => <Operator {...action} /> },
        { name: 'Time', cell: ({ at }) => <Moment at={at} /> },
      ]}
    />
  );
}

/** A later release may have recorded actions that this one does not know. */
function titleOf({ action }: RecordedAction): string {
  return Object.hasOwn(operatorActions, action)
    ? operatorActions[action as keyof typeof operatorActions]
    : action;
}

function Note({ action, note }: RecordedAction) {
  if (!note) return <>–</>;
  // A key has a name of the user's choice, often "command line".
  return action.startsWith('key.') ? (
    <>
      Key “<bdi>{note}</bdi>”
    </>
  ) : (
    <bdi>{note}</bdi>
  );
}

function Target({ action, target, targetEmail, targetWorkspace }: RecordedAction) {
  if (targetWorkspace !== null && (isAboutWorkspace(action) || targetEmail === null))
    return (
      <a href={`/admin/workspaces/${target}`}>
        <bdi>{targetWorkspace}</bdi>
      </a>
    );
  if (targetEmail === null) return <bdi>{target}</bdi>;
  return (
    <a href={`/admin/users/${target}`}>
      <bdi class="email" title={targetEmail}>
        {targetEmail}
      </bdi>
    </a>
  );
}

function Operator({ operatorId, operatorEmail }: RecordedAction) {
  if (operatorId === null) return <>command line</>;
  const name = operatorEmail ?? `deleted account ${operatorId}`;
  return (
    <bdi class="email" title={name}>
      {name}
    </bdi>
  );
}
