import type { ListedUser } from '../../../accounts/users.ts';
import { Input } from '../../ui/controls.tsx';
import { figure } from '../../ui/figure.ts';
import type { Visitor } from '../../ui/layout.tsx';
import { Moment } from '../../ui/moment.tsx';
import { AdminLayout } from '../admin-layout.tsx';
import { Pages } from '../pages.tsx';
import { AccountBadges, planTitles } from './account-badges.tsx';

interface UsersProps {
  visitor: Visitor;
  users: ListedUser[];
  /** All that match, on this page and others. */
  total: number;
  /** What was searched for. */
  email: string;
  firstPage: string | undefined;
  nextPage: string | undefined;
}

export function UsersView({ visitor, users, total, email, firstPage, nextPage }: UsersProps) {
  return (
    <AdminLayout
      visitor={visitor}
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
      <form class="card row" action="/admin/users" role="search">
        <Input
          form={{ values: { q: email }, errors: [] }}
          name="q"
          label="Search by email"
          type="search"
          maxLength={254}
        />
        <button type="submit" class="quiet">
          Search
        </button>
        {email && (
          <a class="button quiet after-field" href="/admin/users">
            Clear
          </a>
        )}
      </form>
      <section class="card">
        {users.length === 0 ? (
          <p>{email ? 'No account has an email like this. Try a shorter part of it.' : 'No accounts yet.'}</p>
        ) : (
          <table class="stacked inline">
            <caption class="unseen">Accounts, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Email</th>
                <th scope="col">Plan</th>
                <th scope="col">Created</th>
                <th scope="col" class="number">
                  Codes
                </th>
                <th scope="col" class="number">
                  Active keys
                </th>
              </tr>
            </thead>
            <tbody>
              {users.map((user) => (
                <tr key={user.id}>
                  <th scope="row">
                    <a href={`/admin/users/${user.id}`}>
                      <bdi>{user.email}</bdi>
                    </a>{' '}
                    <AccountBadges {...user} />
                  </th>
                  <td data-label="Plan">{planTitles[user.plan]}</td>
                  <td data-label="Created">
                    <Moment at={user.createdAt} />
                  </td>
                  <td data-label="Codes" class="number">
                    {figure(user.codes)}
                  </td>
                  <td data-label="Active keys" class="number">
                    {figure(user.keys)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <Pages firstPage={firstPage} nextPage={nextPage} />
    </AdminLayout>
  );
}
