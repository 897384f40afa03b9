import type { ListedUser, User } from '../../../accounts/users.ts';
import { figure } from '../../ui/words.tsx';
import { Moment } from '../../ui/time.tsx';
import { AdminLayout, SearchForm } from '../admin-layout.tsx';
import { Pages, Table } from '../../ui/table.tsx';
import { planTitles } from '../../workspace/plan-card.tsx';
import { CopyableField } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Notice } from '../../ui/layout.tsx';

interface UsersProps {
  users: ListedUser[];
  /** All that match, on this page and others. */
  total: number;
  /** The current search. */
  email: string;
  firstPage: string | undefined;
  nextPage: string | undefined;
}

export function UsersView({ users, total, email, ...pages }: UsersProps) {
  return (
    <AdminLayout
      title="Users"
      at="/admin/users"
      heading={
        <div class="heading">
          <h1>Users</h1>
          <p class="quiet total">
            {figure(total)} {email ? 'found' : total === 1 ? 'account' : 'accounts'}
          </p>
        </div>
      }
    >
      <SearchForm path="/admin/users" label="Search by email" text={email} />
      {users.length === 0 ? (
        <Empty icon="search" title="No accounts found">
          <p>{email ? 'No account has an email like this. Try a shorter part of it.' : 'No accounts yet.'}</p>
        </Empty>
      ) : (
        <section class="card">
          <Table
            class="stacked inline"
            caption="Accounts, newest first"
            rows={users}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Email',
                cell: (user) => (
                  <>
                    <a href={`/admin/users/${user.id}`}>
                      <bdi>{user.email}</bdi>
                    </a>{' '}
                    <AccountBadges {...user} />
                  </>
                ),
              },
              { name: 'Plan', cell: ({ plan }) => planTitles[plan] },
              { name: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} show="day" /> },
              { name: 'Codes', isNumber: true, cell: ({ codes }) => figure(codes) },
              { name: 'Active keys', isNumber: true, cell: ({ keys }) => figure(keys) },
            ]}
          />
        </section>
      )}
      <Pages {...pages} />
    </AdminLayout>
  );
}

export function AccountBadges({ isAdmin, isBlocked }: { isAdmin: boolean; isBlocked: boolean }) {
  return (
    <>
      {isAdmin && <span class="badge good">operator</span>}{' '}
      {isBlocked && <span class="badge bad">blocked</span>}
    </>
  );
}

/** The only page that shows the link. */
export function SignInLinkView({ user, link }: { user: User; link: string }) {
  return (
    <AdminLayout title="Sign-in link" at="/admin/users">
      <section class="card">
        <h2>
          For <bdi>{user.email}</bdi>
        </h2>
        <Notice kind="good">Copy it now. It is not shown again.</Notice>
        <CopyableField id="sign-in-link" label="Link" value={link} button="Copy link" />
        <p class="after">
          Whoever opens it can choose a new password and is signed in. It works once, for an hour. Send it
          only over a channel that you know belongs to the owner.
        </p>
        <p>
          <a href={`/admin/users/${user.id}`}>Back to the account</a>
        </p>
      </section>
    </AdminLayout>
  );
}
