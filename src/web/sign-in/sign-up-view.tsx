import type { Limits } from '../../limits.ts';
import type { FormState } from '../ui/controls.tsx';
import { NarrowPage } from '../ui/layout.tsx';
import { figure } from '../ui/words.tsx';
import { CredentialsForm, withNext } from './sign-in-view.tsx';

interface SignUpProps {
  /** What the plan of new accounts allows. */
  limits: Limits;
  /** Whoever gets the mail chooses the password. Otherwise the account is there at once. */
  isByMail: boolean;
  next: string | undefined;
  form: FormState;
}

export function SignUpView({ limits, isByMail, next, form }: SignUpProps) {
  return (
    <NarrowPage title="Sign up" form={form}>
      <p>{leadOf(limits)}</p>
      {isByMail ? (
        <CredentialsForm
          form={form}
          action="/signup"
          next={next}
          email={{ autocomplete: 'email', hint: 'You get a link for choosing a password.' }}
          button="Email me the link"
        />
      ) : (
        <CredentialsForm
          form={form}
          action="/signup"
          next={next}
          password={{
            autocomplete: 'new-password',
            hint: 'At least 10 characters. A few unrelated words work well.',
          }}
          button="Sign up"
        />
      )}
      <ToSignIn next={next} />
    </NarrowPage>
  );
}

function leadOf({ codes, requestsPerHour }: Limits): string {
  const codesText = codes === 1 ? '1 code' : `${figure(codes)} codes`;
  const requestsText = requestsPerHour === 1 ? '1 API request' : `${figure(requestsPerHour)} API requests`;
  return `Free: up to ${codesText}, as many scans as you like, and ${requestsText} an hour.`;
}

export function SignUpClosedView({ next }: { next?: string | undefined }) {
  return (
    <NarrowPage title="Sign-up is closed">
      <p>Contact the operator of this service to get an account.</p>
      <ToSignIn next={next} />
    </NarrowPage>
  );
}

function ToSignIn({ next }: { next: string | undefined }) {
  return (
    <p class="quiet">
      Already have an account? <a href={withNext('/signin', next)}>Sign in</a>
    </p>
  );
}
