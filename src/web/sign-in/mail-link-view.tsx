import { type FormState, Input } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Form, NarrowPage } from '../ui/layout.tsx';

const forgotTitle = 'Forgot your password?';

export function ForgotPasswordView({ form }: { form: FormState }) {
  return (
    <NarrowPage title={forgotTitle} form={form}>
      <p>Enter the email address of your account to get a link for choosing a new password.</p>
      <Form action="/signin/forgot">
        <Input
          form={form}
          name="email"
          label="Email"
          type="email"
          required
          autofocus
          autocomplete="username"
          maxLength={254}
        />
        <button type="submit">Send the link</button>
      </Form>
      <ToSignIn />
    </NarrowPage>
  );
}

/** If the service sends no mails. */
export function AskForHelpView({ contact }: { contact: string | undefined }) {
  return (
    <NarrowPage title={forgotTitle} icon="lock">
      <p>
        This service sends no emails. To get a new password, contact{' '}
        {contact === undefined ? (
          'the operator of this service.'
        ) : (
          <a href={contact.includes('://') ? contact : `mailto:${contact}`} rel="noreferrer">
            {contact}
          </a>
        )}
      </p>
      <ToSignIn />
    </NarrowPage>
  );
}

function ToSignIn() {
  return (
    <p class="after">
      <a class="button quiet" href="/signin">
        <Icon name="arrow-left" />
        Back to sign-in
      </a>
    </p>
  );
}

interface NewPasswordProps {
  action: string;
  email: string;
  /** Whether the account is new. */
  isNew?: boolean;
  form: FormState;
}

export function NewPasswordView({ action, email, isNew = false, form }: NewPasswordProps) {
  return (
    <NarrowPage title={isNew ? 'Choose a password' : 'Choose a new password'} form={form}>
      <p>
        {isNew ? 'For your new account' : 'For'}{' '}
        <strong>
          <bdi>{email}</bdi>
        </strong>
        .{!isNew && ' All other sessions of the account are signed out.'}
      </p>
      <Form action={action}>
        {/* For password managers, which would otherwise not know the account. */}
        <input type="hidden" name="email" autocomplete="username" value={email} />
        <Input
          form={form}
          name="newPassword"
          label={isNew ? 'Password' : 'New password'}
          type="password"
          required
          autofocus
          canShow
          autocomplete="new-password"
          hint="At least 10 characters. A few unrelated words work well."
        />
        <button type="submit">{isNew ? 'Create the account' : 'Save and sign in'}</button>
      </Form>
    </NarrowPage>
  );
}

/** A button, because mail programs open links by themselves. */
export function SignInByLinkView({ token, email }: { token: string; email: string }) {
  return (
    <NarrowPage title="Sign in">
      <p>
        As{' '}
        <strong>
          <bdi>{email}</bdi>
        </strong>
        . The link works once.
      </p>
      <Form action={`/signin/link/${token}`}>
        <input type="hidden" name="keep" value="on" />
        <button type="submit">Sign in</button>
      </Form>
      <p class="quiet">
        <a href={`/signin/link/${token}`}>Choose a new password instead</a>
      </p>
    </NarrowPage>
  );
}

/** A button, because mail programs open links by themselves. */
export function ConfirmEmailView({ token, email }: { token: string; email: string }) {
  return (
    <NarrowPage title="Confirm your email">
      <p>
        Is{' '}
        <strong>
          <bdi>{email}</bdi>
        </strong>{' '}
        the address of your account?
      </p>
      <Form action={`/signin/confirm/${token}`}>
        <button type="submit">Confirm this address</button>
      </Form>
    </NarrowPage>
  );
}

export function ConfirmedView({ email }: { email: string }) {
  return (
    <NarrowPage title="Email confirmed" icon="circle-check">
      <p role="status">
        <bdi>{email}</bdi> is the address of your account.
      </p>
      <p>
        <a class="button" href="/codes">
          Go to your QR codes
        </a>
      </p>
    </NarrowPage>
  );
}

/** Which link does not work decides where to get another one. */
export function DeadLinkView({ kind }: { kind: 'sign-in' | 'from-operator' | 'sign-up' | 'confirmation' }) {
  return (
    <NarrowPage title="This link does not work" icon="triangle-alert">
      {kind === 'sign-up' && (
        <p>
          It was used before, or is older than a day. <a href="/signin">Sign in</a>, or{' '}
          <a href="/signup">get a new link</a>.
        </p>
      )}
      {kind === 'confirmation' && (
        <p>
          It was used before, is older than a day, or was replaced. Get a new one on the page{' '}
          <a href="/account">Account</a>.
        </p>
      )}
      {(kind === 'sign-in' || kind === 'from-operator') && (
        <>
          <p>
            It was used before, is older than an hour, or was replaced.{' '}
            {kind === 'sign-in' ? (
              <a href="/signin/forgot">Get a new link</a>
            ) : (
              'Ask the operator of this service for a new one.'
            )}
          </p>
          <p>
            <a class="button quiet" href="/signin">
              Sign in
            </a>
          </p>
        </>
      )}
    </NarrowPage>
  );
}
