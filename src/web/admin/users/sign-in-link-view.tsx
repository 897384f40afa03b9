import type { User } from '../../../accounts/users.ts';
import { CopyableField } from '../../ui/copyable.tsx';
import type { Visitor } from '../../ui/layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { AdminLayout } from '../admin-layout.tsx';

/** The only page that shows the link. */
export function SignInLinkView({ visitor, user, link }: { visitor: Visitor; user: User; link: string }) {
  return (
    <AdminLayout visitor={visitor} title="Sign-in link" at="/admin/users">
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
