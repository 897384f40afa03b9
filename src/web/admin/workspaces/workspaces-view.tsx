import type { FoundWorkspace } from '../../../workspaces/search-workspaces.ts';
import { Empty } from '../../ui/empty.tsx';
import { Pages, Table } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { figure } from '../../ui/words.tsx';
import { planTitles } from '../../workspace/plan-card.tsx';
import { AdminLayout, SearchForm } from '../admin-layout.tsx';

interface WorkspacesProps {
  workspaces: FoundWorkspace[];
  /** The current search. */
  text: string;
  firstPage: string | undefined;
  nextPage: string | undefined;
}

export function WorkspacesView({ workspaces, text, ...pages }: WorkspacesProps) {
  return (
    <AdminLayout title="Workspaces" at="/admin/workspaces">
      <SearchForm path="/admin/workspaces" label="Search by name, address or member" text={text} />
      {workspaces.length === 0 ? (
        <Empty icon="search" title="No workspaces found">
          <p>
            {text
              ? 'No workspace has a name, an address or a member like this. Try a shorter part of it.'
              : 'No workspaces yet.'}
          </p>
        </Empty>
      ) : (
        <section class="card">
          <Table
            class="stacked inline"
            caption="Workspaces, newest first"
            rows={workspaces}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Name',
                cell: ({ id, name, isBlocked }) => (
                  <>
                    <a href={`/admin/workspaces/${id}`}>
                      <bdi>{name}</bdi>
                    </a>{' '}
                    {isBlocked && <span class="badge bad">blocked</span>}
                  </>
                ),
              },
              { name: 'Address', cell: ({ slug }) => `/w/${slug}` },
              { name: 'Plan', cell: ({ plan }) => planTitles[plan] },
              { name: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} show="day" /> },
              { name: 'Members', isNumber: true, cell: ({ members }) => figure(members) },
            ]}
          />
        </section>
      )}
      <Pages {...pages} />
    </AdminLayout>
  );
}
