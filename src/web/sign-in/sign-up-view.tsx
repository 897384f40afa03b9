import type { FieldError } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import { Input } from '../ui/controls.tsx';
import { figure } from '../ui/figure.ts';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';
import { CredentialsForm, Next, type SignInProps, ToSignIn } from './sign-in-view.tsx';

interface SignUpProps extends SignInProps {
  /** Of the plan that new accounts have. */
  limits: Limits;
}

function leadOf({ codes, requestsPerHour }: Limits): string {
  const ofCodes = codes === 1 ? '1 code' : `${figure(codes)} codes`;
  const ofRequests = requestsPerHour === 1 ? '1 API request' : `${figure(requestsPerHour)} API requests`;
  return `Free: up to ${ofCodes}, as many scans as you like, and ${ofRequests} an hour.`;
}

const passwordHint = 'At least 10 characters. A few unrelated words work well.';

/** Where no mails are sent: the account is there at once. */
export function SignUpView({ limits, ...props }: SignUpProps) {
  return (
    <CredentialsForm
      {...props}
      name="Sign up"
      action="/signup"
      lead={leadOf(limits)}
      password={{ autocomplete: 'new-password', hint: passwordHint }}
    >
      <ToSignIn next={props.next} />
    </CredentialsForm>
  );
}

interface SignUpByMailProps extends SignUpProps {
  flash?: string | undefined;
}

/** The password is chosen by whoever gets the mail. */
export function SignUpByMailView({
  visitor,
  limits,
  email = '',
  errors = [],
  problem,
  next,
  flash,
}: SignUpByMailProps) {
  return (
    <Layout title={errors.length > 0 ? 'Error: Sign up' : 'Sign up'} visitor={visitor}>
      <section class="card narrow">
        <h1>Sign up</h1>
        {flash && <Notice kind="good">{flash}</Notice>}
        {problem && <Notice kind="bad">{problem}</Notice>}
        <p>{leadOf(limits)}</p>
        <Form action="/signup">
          <Next path={next} />
          <Input
            form={{ values: { email }, errors }}
            name="email"
            label="Email"
            type="email"
            required
            autocomplete="email"
            maxLength={254}
            hint="You get a link with which you choose a password."
          />
          <button type="submit">Email me the link</button>
        </Form>
        <ToSignIn next={next} />
      </section>
    </Layout>
  );
}

interface FinishSignUpProps {
  visitor: Visitor;
  token: string;
  email: string;
  errors?: FieldError[];
}

export function FinishSignUpView({ visitor, token, email, errors = [] }: FinishSignUpProps) {
  return (
    <Layout title={errors.length > 0 ? 'Error: Choose a password' : 'Choose a password'} visitor={visitor}>
      <section class="card narrow">
        <h1>Choose a password</h1>
        <p>
          For your new account{' '}
          <strong>
            <bdi>{email}</bdi>
          </strong>
          .
        </p>
        <Form action={`/signup/link/${token}`}>
          {/* For password managers, which would otherwise not know the account. */}
          <input type="hidden" name="email" autocomplete="username" value={email} />
          <Input
            form={{ values: {}, errors }}
            name="newPassword"
            label="Password"
            type="password"
            required
            autocomplete="new-password"
            hint={passwordHint}
          />
          <button type="submit">Create the account</button>
        </Form>
      </section>
    </Layout>
  );
}

export function DeadSignUpView({ visitor }: { visitor: Visitor }) {
  return (
    <Layout title="This link does not work" visitor={visitor}>
      <section class="card narrow">
        <h1>This link does not work</h1>
        <p>
          It was used before, or is older than a day. <a href="/signin">Sign in</a>, or{' '}
          <a href="/signup">get a new link</a>.
        </p>
      </section>
    </Layout>
  );
}

export function SignUpClosedView({ visitor, next }: Pick<SignInProps, 'visitor' | 'next'>) {
  return (
    <Layout title="Sign-up is closed" visitor={visitor}>
      <section class="card narrow">
        <h1>Sign-up is closed</h1>
        <p>Contact the operator of this service to get an account.</p>
        <ToSignIn next={next} />
      </section>
    </Layout>
  );
}
