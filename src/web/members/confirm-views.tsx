import type { Member, Role } from '../../workspaces/members.ts';
import { CopyableField } from '../ui/copyable.tsx';
import { Icon } from '../ui/icons.tsx';
import { Confirmation, NarrowPage, Page } from '../ui/layout.tsx';

const at = '/workspace';

const Strong = ({ text }: { text: string }) => (
  <strong>
    <bdi>{text}</bdi>
  </strong>
);

interface MemberProps {
  member: Member;
  workspace: string;
}

export function RemoveView({ member: { userId, email }, workspace }: MemberProps) {
  return (
    <Confirmation
      title="Remove member"
      at={at}
      action={`/members/${userId}/remove`}
      button="Remove"
      keep={at}
      keepText="Cancel"
    >
      Remove <Strong text={email} /> from <Strong text={workspace} />? They lose access at once. Codes and API
      keys that they created stay.
    </Confirmation>
  );
}

export function HandOverView({ member: { userId, email }, workspace }: MemberProps) {
  return (
    <Confirmation
      title="Hand over the workspace"
      at={at}
      action={`/members/${userId}/hand-over`}
      button="Hand over"
      keep={at}
      keepText="Cancel"
    >
      Make <Strong text={email} /> an owner of <Strong text={workspace} />? You become an editor, and your
      open invitations are revoked. Only an owner can make you an owner again.
    </Confirmation>
  );
}

export function LeaveView({ workspace, isLastOwner }: { workspace: string; isLastOwner: boolean }) {
  if (isLastOwner)
    return (
      <NarrowPage title="Leave the workspace" at={at}>
        <p>
          You are the only owner of <Strong text={workspace} />, and a workspace needs one. Make somebody else
          an owner first.
        </p>
        <p>
          <a class="button quiet" href={at} data-close>
            <Icon name="arrow-left" />
            Back to members
          </a>
        </p>
      </NarrowPage>
    );
  return (
    <Confirmation
      title="Leave the workspace"
      at={at}
      action="/members/leave"
      button="Leave"
      keep={at}
      keepText="Cancel"
    >
      Leave <Strong text={workspace} />? You lose access at once, and can only return with a new invitation.
      Your account stays.
    </Confirmation>
  );
}

interface NewLinkProps {
  url: string;
  role: Role;
  days: number;
  maxUses: number;
}

/** The only page that shows the link. */
export function NewLinkView({ url, role, days, maxUses }: NewLinkProps) {
  return (
    <Page title="Members" at={at} styles={['members']}>
      <section class="card">
        <h2>Your invitation link</h2>
        <div class="notice warn">Copy it now. It is not shown again, but you can revoke it.</div>
        <CopyableField id="new-link" label="Link" value={url} button="Copy link" />
        <p class="after">
          {maxUses === 1 ? 'One person' : `Up to ${maxUses} people`} can join as {role}, within{' '}
          {days === 1 ? 'a day' : `${days} days`}. Whoever has the link can use it, so send it only to people
          you trust.
        </p>
        <p class="after">
          <a class="button quiet" href={at}>
            <Icon name="arrow-left" />
            Back to members
          </a>
        </p>
      </section>
    </Page>
  );
}
