import { type FormError, Input } from '../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';

interface ForgotPasswordProps {
  visitor: Visitor;
  email?: string;
  errors?: FormError[];
  problem?: string;
  flash?: string | undefined;
}

const title = 'Forgot your password?';

export function ForgotPasswordView({
  visitor,
  email = '',
  errors = [],
  problem,
  flash,
}: ForgotPasswordProps) {
  return (
    <Layout title={errors.length > 0 ? `Error: ${title}` : title} visitor={visitor}>
      <section class="card narrow">
        <h1>{title}</h1>
        {flash && <Notice kind="good">{flash}</Notice>}
        {problem && <Notice kind="bad">{problem}</Notice>}
        <p>Enter the email address of your account to get a link for choosing a new password.</p>
        <Form action="/signin/forgot">
          <Input
            form={{ values: { email }, errors }}
            name="email"
            label="Email"
            type="email"
            required
            autocomplete="username"
            maxLength={254}
          />
          <button type="submit">Send the link</button>
        </Form>
        <ToSignIn />
      </section>
    </Layout>
  );
}

/** Where no mails are sent. */
export function AskForHelpView({ visitor, contact }: { visitor: Visitor; contact: string | undefined }) {
  return (
    <Layout title={title} visitor={visitor}>
      <section class="card narrow">
        <h1>{title}</h1>
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
      </section>
    </Layout>
  );
}

function ToSignIn() {
  return (
    <p class="quiet">
      <a href="/signin">Back to sign-in</a>
    </p>
  );
}
