import type { RecordedAction } from '../../../accounts/operator-actions.ts';
import type { Visitor } from '../../ui/layout.tsx';
import { AdminLayout } from '../admin-layout.tsx';
import { Pages } from '../pages.tsx';
import { ActionTable } from './action-table.tsx';

interface AuditProps {
  visitor: Visitor;
  actions: RecordedAction[];
  firstPage: string | undefined;
  nextPage: string | undefined;
}

export function AuditView({ visitor, actions, firstPage, nextPage }: AuditProps) {
  return (
    <AdminLayout visitor={visitor} title="Audit log" at="/admin/audit">
      <section class="card">
        <p class="quiet">
          Every change by an operator to accounts, keys, blocks and jobs: on these pages, on the queue board
          and on the command line.
        </p>
        <ActionTable actions={actions} />
      </section>
      <Pages firstPage={firstPage} nextPage={nextPage} />
    </AdminLayout>
  );
}
