import { Form, Layout, type Visitor } from '../ui/layout.tsx';

interface ConfirmProps {
  visitor: Visitor;
  email: string;
}

/** A button, because mail programs open links by themselves. */
export function ConfirmEmailView({ visitor, email, token }: ConfirmProps & { token: string }) {
  return (
    <Layout title="Confirm your email" visitor={visitor}>
      <section class="card narrow">
        <h1>Confirm your email</h1>
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
      </section>
    </Layout>
  );
}

export function ConfirmedView({ visitor, email }: ConfirmProps) {
  return (
    <Layout title="Email confirmed" visitor={visitor}>
      <section class="card narrow">
        <h1>Email confirmed</h1>
        <p role="status">
          <bdi>{email}</bdi> is the address of your account.
        </p>
        <p>
          <a href="/codes">Go to your QR codes</a>
        </p>
      </section>
    </Layout>
  );
}

export function DeadConfirmationView({ visitor }: { visitor: Visitor }) {
  return (
    <Layout title="This link does not work" visitor={visitor}>
      <section class="card narrow">
        <h1>This link does not work</h1>
        <p>
          It was used before, is older than a day, or was replaced. Get a new one on the page{' '}
          <a href="/account">Account</a>.
        </p>
      </section>
    </Layout>
  );
}
