import { type Role, roleNames, roleTexts } from '../../workspaces/members.ts';
import { Form, NarrowPage } from '../ui/layout.tsx';
import { Moment } from '../ui/time.tsx';
import { useVisitor } from '../ui/visitor.ts';
import { withNext } from '../sign-in/sign-in-view.tsx';

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
  role: Role;
  expiresAt: Date;
  /** Undefined for a link. */
  email: string | undefined;
  /** Undefined if it is not certain who invites. */
  inviter: string | undefined;
  step: Step;
}

export function InvitationView({ path, workspace, role, expiresAt, email, inviter, step }: InvitationProps) {
  const { brand } = useVisitor();
  return (
    <NarrowPage title="You are invited" styles={['invitations']}>
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
            <dt>For</dt>
            <dd>
              <bdi>{email}</bdi>
            </dd>
          </>
        )}
        <dt>Until</dt>
        <dd>
          <Moment at={expiresAt} />
        </dd>
      </dl>
      <NextStep path={path} email={email} step={step} />
    </NarrowPage>
  );
}

function NextStep({ path, email, step }: Pick<InvitationProps, 'path' | 'email' | 'step'>) {
  const { email: own } = useVisitor();
  switch (step) {
    case 'join':
      return (
        <>
          <Form action={path}>
            <button type="submit">Join</button>
          </Form>
          <p class="quiet">
            As <bdi>{own}</bdi>.
          </p>
          <SwitchForm path={path} />
        </>
      );
    case 'member':
      return (
        <>
          <p role="status">You are a member of this workspace already.</p>
          <p>
            <a class="button" href="/codes">
              Go to your QR codes
            </a>
          </p>
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
          <p>
            <a class="button" href="/account">
              Confirm on the page Account
            </a>
          </p>
        </>
      );
    case 'create-account':
      return (
        <>
          <p>
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
      <p>
        <a class="button" href={withNext('/signin', path)}>
          Sign in to join
        </a>
      </p>
      {step === 'sign-in-or-up' && (
        <p>
          <a class="button quiet" href={withNext('/signup', path)}>
            Create an account to join
          </a>
        </p>
      )}
      {step === 'sign-in-closed' && (
        <p class="quiet">You need an account. Ask who invited you for an invitation by email.</p>
      )}
    </>
  );
}

function SignInLink({ path }: { path: string }) {
  return (
    <p class="quiet">
      Is your account under another address? <a href={withNext('/signin', path)}>Sign in</a> and ask for an
      invitation to that one.
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

export function DeadInvitationView() {
  return (
    <NarrowPage title="This invitation does not work" icon="triangle-alert">
      <p>It has expired, was used or revoked, or the link is incomplete. Ask for a new one.</p>
      <p>
        <a class="button quiet" href="/">
          Go to the start page
        </a>
      </p>
    </NarrowPage>
  );
}
