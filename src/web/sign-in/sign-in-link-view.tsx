import type { FieldError } from '../../errors.ts';
import { Input } from '../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';

interface NewPasswordProps {
  visitor: Visitor;
  token: string;
  email: string;
  errors?: FieldError[];
}

export function NewPasswordView({ visitor, token, email, errors = [] }: NewPasswordProps) {
  return (
    <Layout
      title={errors.length > 0 ? 'Error: Choose a new password' : 'Choose a new password'}
      visitor={visitor}
    >
      <section class="card narrow">
        <h1>Choose a new password</h1>
        <p>
          For{' '}
          <strong>
            <bdi>{email}</bdi>
          </strong>
          . All other sessions of the account are signed out.
        </p>
        <Form action={`/signin/link/${token}`}>
          {/* For password managers, which would otherwise not know the account. */}
          <input type="hidden" name="email" autocomplete="username" value={email} />
          <Input
            form={{ values: {}, errors }}
            name="newPassword"
            label="New password"
            type="password"
            required
            autocomplete="new-password"
            hint="At least 10 characters. A few unrelated words work well."
          />
          <button type="submit">Save and sign in</button>
        </Form>
      </section>
    </Layout>
  );
}

/** A button, because mail programs open links by themselves. */
export function SignInByLinkView({ visitor, token, email }: NewPasswordProps) {
  return (
    <Layout title="Sign in" visitor={visitor}>
      <section class="card narrow">
        <h1>Sign in</h1>
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
      </section>
    </Layout>
  );
}

export function DeadLinkView({ visitor, canAskAgain }: { visitor: Visitor; canAskAgain: boolean }) {
  return (
    <Layout title="This link does not work" visitor={visitor}>
      <section class="card narrow">
        <h1>This link does not work</h1>
        <p>
          It was used before, is older than an hour, or was replaced.{' '}
          {canAskAgain ? (
            <a href="/signin/forgot">Get a new link</a>
          ) : (
            'Ask the operator of this service for a new one.'
          )}
        </p>
        <p>
          <a href="/signin">Sign in</a>
        </p>
      </section>
    </Layout>
  );
}
