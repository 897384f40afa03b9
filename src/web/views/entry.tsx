import { type FormState, Input, type ShownFault } from './controls.tsx';
import { Form, Layout, type Visitor } from './layout.tsx';
import { Notice } from './notice.tsx';

interface EntryProps {
  visitor: Visitor;
  email?: string;
  faults?: ShownFault[] | undefined;
  /** What is wrong with the whole, rather than with one field. */
  problem?: string | undefined;
  /** The page that was asked for, to go on there. */
  next?: string | undefined;
}

export function SignUpView({ visitor, email = '', faults = [], problem, next }: EntryProps) {
  const of = { values: { email }, faults };
  return (
    <Layout title="Sign up" visitor={visitor}>
      <section class="card narrow">
        <h1>Sign up</h1>
        <p>Free: as many codes and scans as you like, and 20 API requests an hour.</p>
        {problem && <Notice kind="bad">{problem}</Notice>}
        <Form action="/signup">
          <Next of={next} />
          <EmailInput of={of} />
          <Input
            of={of}
            name="password"
            label="Password"
            type="password"
            required
            autocomplete="new-password"
            hint="At least 10 characters. A few unrelated words work well."
          />
          <button type="submit">Sign up</button>
        </Form>
        <ToSignIn next={next} />
      </section>
    </Layout>
  );
}

export function SignUpClosedView({ visitor, next }: Pick<EntryProps, 'visitor' | 'next'>) {
  return (
    <Layout title="Sign-up is closed" visitor={visitor}>
      <section class="card narrow">
        <h1>Sign-up is closed</h1>
        <p>Ask whoever runs this service for an account.</p>
        <ToSignIn next={next} />
      </section>
    </Layout>
  );
}

export function SignInView({ visitor, email = '', faults = [], problem, next }: EntryProps) {
  const of = { values: { email }, faults };
  return (
    <Layout title="Sign in" visitor={visitor}>
      <section class="card narrow">
        <h1>Sign in</h1>
        {problem && <Notice kind="bad">{problem}</Notice>}
        <Form action="/signin">
          <Next of={next} />
          <EmailInput of={of} />
          <Input
            of={of}
            name="password"
            label="Password"
            type="password"
            required
            autocomplete="current-password"
          />
          <button type="submit">Sign in</button>
        </Form>
        {visitor.canSignUp && (
          <p class="quiet">
            No account yet? <a href={withNext('/signup', next)}>Sign up</a>
          </p>
        )}
      </section>
    </Layout>
  );
}

function EmailInput({ of }: { of: FormState }) {
  return (
    <Input of={of} name="email" label="Email" type="email" required autocomplete="username" maxLength={254} />
  );
}

function Next({ of }: { of: string | undefined }) {
  return of ? <input type="hidden" name="next" value={of} /> : null;
}

function ToSignIn({ next }: Pick<EntryProps, 'next'>) {
  return (
    <p class="quiet">
      Already have an account? <a href={withNext('/signin', next)}>Sign in</a>
    </p>
  );
}

/** From one of these pages to the other, without losing where to go on. */
export function withNext(path: string, next: string | undefined): string {
  return next ? `${path}?next=${encodeURIComponent(next)}` : path;
}
