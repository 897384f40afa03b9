import { type Role, roleNames, roleTexts } from '../../workspaces/members.ts';
import { Form, NarrowPage } from '../ui/layout.tsx';
import { Moment } from '../ui/time.tsx';
import { useVisitor } from '../ui/visitor.ts';
import { withNext } from '../ui/sections.ts';

/** What a visitor can do about an invitation, or why not. */
export type Step =
  | 'join'
  | 'member'
  | 'full'
  | 'owns-too-many'
  | 'other-address'
  | 'unconfirmed'
  | 'create-account'
  | 'sign-in'
  | 'sign-in-or-up'
  | 'sign-in-closed';

interface InvitationProps {
  path: string;
  workspace: string;
  slug: string;
  role: Role;
  expiresAt: Date;
  /** Undefined for a link. */
  email: string | undefined;
  /** Undefined if it is not certain who invites. */
  inviter: string | undefined;
  step: Step;
}

export function InvitationView(props: InvitationProps) {
  const { path, workspace, slug, role, expiresAt, email, inviter, step } = props;
  const { brand } = useVisitor();
  return (
    <NarrowPage title="You are invited" styles={['invitations']} next={path}>
      <p>
        {inviter ? <bdi>{inviter}</bdi> : 'An owner'} invites you to a workspace on {brand.name}, where people
        work together on QR codes.
      </p>
      <dl class="invitation">
        <dt>Workspace</dt>
        <dd>
          <bdi>{workspace}</bdi>
        </dd>
        <dt>Your role</dt>
        <dd>
          {roleNames[role]}
          <span class="hint">{roleTexts[role]}</span>
        </dd>
        {email && (
          <>
            <dt>Invited address</dt>
            <dd>
              <bdi>{email}</bdi>
            </dd>
          </>
        )}
        <dt>Expires</dt>
        <dd>
          <Moment at={expiresAt} />
        </dd>
      </dl>
      <NextStep path={path} slug={slug} email={email} step={step} />
    </NarrowPage>
  );
}

function NextStep({ path, slug, email, step }: Pick<InvitationProps, 'path' | 'slug' | 'email' | 'step'>) {
  const { email: own } = useVisitor();
  switch (step) {
    case 'join':
      return (
        <>
          <Form action={path}>
            <button type="submit">
              <span>
                Join as <bdi>{own}</bdi>
              </span>
            </button>
          </Form>
          <SwitchForm path={path} />
        </>
      );
    case 'member':
      return (
        <>
          <p role="status">You are already a member of this workspace.</p>
          <OpenWorkspace slug={slug} />
        </>
      );
    case 'full':
      return <p role="status">The workspace has as many members as it can have. Ask who invited you.</p>;
    case 'owns-too-many':
      return (
        <p role="status">
          You own as many workspaces as you may. Delete one or hand one over first, or ask the operator of
          this service for a higher limit. Then open this page again.
        </p>
      );
    case 'other-address':
      return (
        <>
          <p role="status">
            This invitation is for <bdi>{email}</bdi>. You are signed in as <bdi>{own}</bdi>.
          </p>
          <SwitchForm path={path} />
        </>
      );
    case 'unconfirmed':
      return (
        <>
          <p role="status">To join, first confirm that this address is yours. Then open this page again.</p>
          <p class="actions">
            <a class="button" href="/account">
              Confirm it on your account page
            </a>
          </p>
        </>
      );
    case 'create-account':
      return (
        <>
          <p class="actions">
            <a class="button" href={`${path}/account`}>
              Create an account to join
            </a>
          </p>
          <SignInLink path={path} />
        </>
      );
    default:
      return <SignIn path={path} step={step} />;
  }
}

function SignIn({ path, step }: { path: string; step: Step }) {
  return (
    <>
      <p class="actions">
        <a class="button" href={withNext('/signin', path)}>
          Sign in to join
        </a>
        {step === 'sign-in-or-up' && (
          <a class="button quiet" href={withNext('/signup', path)}>
            Create an account to join
          </a>
        )}
      </p>
      {step === 'sign-in-closed' && (
        <p class="quiet">You need an account. Ask who invited you for an invitation by email.</p>
      )}
    </>
  );
}

function SignInLink({ path }: { path: string }) {
  return (
    <p class="quiet">
      If you have an account with another email address, ask for an invitation to that address, or{' '}
      <a href={withNext('/signin', path)}>sign in</a>.
    </p>
  );
}

function SwitchForm({ path }: { path: string }) {
  return (
    <Form action={`${path}/switch`}>
      <button type="submit" class="quiet">
        Use another account
      </button>
    </Form>
  );
}

/** For a member who opens the link once more. */
export function JoinedView({ workspace, slug }: Pick<InvitationProps, 'workspace' | 'slug'>) {
  return (
    <NarrowPage title="You have already joined" styles={['invitations']}>
      <p>
        You are a member of{' '}
        <strong>
          <bdi>{workspace}</bdi>
        </strong>
        . You do not need the invitation any more.
      </p>
      <OpenWorkspace slug={slug} />
    </NarrowPage>
  );
}

function OpenWorkspace({ slug }: Pick<InvitationProps, 'slug'>) {
  return (
    <p class="actions">
      <a class="button" href={`/w/${slug}/codes`}>
        Open the workspace
      </a>
    </p>
  );
}

export function DeadInvitationView() {
  const { email } = useVisitor();
  return (
    <NarrowPage title="This invitation does not work" icon="triangle-alert">
      <p>It has expired, was used or revoked, or the link is incomplete. Ask for a new one.</p>
      {email === undefined && (
        <p>
          If you have already joined, <a href="/signin">sign in</a>.
        </p>
      )}
      <p>
        <a class="button quiet" href="/">
          Go to the start page
        </a>
      </p>
    </NarrowPage>
  );
}
