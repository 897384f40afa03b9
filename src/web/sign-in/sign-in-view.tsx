import type { ComponentChildren } from 'preact';
import { Input, type FormError } from '../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { PasskeyForm } from './passkey-form.tsx';
import { sectionName } from '../ui/sections.ts';
import { Notice } from '../ui/notice.tsx';

interface SignInProps {
  visitor: Visitor;
  email?: string;
  errors?: FormError[] | undefined;
  /** An error of the whole form. */
  problem?: string | undefined;
  /** The page to return to. */
  next?: string | undefined;
}

export function SignUpView(props: SignInProps) {
  return (
    <CredentialsForm
      {...props}
      name="Sign up"
      action="/signup"
      lead="Free: as many codes and scans as you like, and 20 API requests an hour."
      password={{
        autocomplete: 'new-password',
        hint: 'At least 10 characters. A few unrelated words work well.',
      }}
    >
      <ToSignIn next={props.next} />
    </CredentialsForm>
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

export function SignInView(props: SignInProps) {
  return (
    <CredentialsForm
      {...props}
      name="Sign in"
      action="/signin"
      lead={reasonFor(props.next)}
      password={{ autocomplete: 'current-password' }}
    >
      <PasskeyForm visitor={props.visitor} next={props.next} />
      <p class="quiet">
        <a href="/signin/forgot">Forgot your password?</a>
      </p>
      {props.visitor.canSignUp && (
        <p class="quiet">
          No account yet? <a href={withNext('/signup', props.next)}>Sign up</a>
        </p>
      )}
    </CredentialsForm>
  );
}

/** Why the visitor of a page is asked to sign in. */
function reasonFor(next: string | undefined): string | undefined {
  const name = next && sectionName(next);
  return name && `Sign in to open ${name}. This page belongs to an account.`;
}

interface CredentialsFormProps extends SignInProps {
  /** Of the page and of the button. */
  name: string;
  action: string;
  lead?: string | undefined;
  password: { autocomplete: string; hint?: string };
  children: ComponentChildren;
}

function CredentialsForm({
  visitor,
  name,
  action,
  lead,
  password,
  email = '',
  errors = [],
  problem,
  next,
  children,
}: CredentialsFormProps) {
  const form = { values: { email }, errors };
  return (
    <Layout title={name} visitor={visitor}>
      <section class="card narrow">
        <h1>{name}</h1>
        {lead && <p>{lead}</p>}
        {problem && <Notice kind="bad">{problem}</Notice>}
        <Form action={action}>
          <Next path={next} />
          <Input
            form={form}
            name="email"
            label="Email"
            type="email"
            required
            autocomplete="username"
            maxLength={254}
          />
          <Input form={form} name="password" label="Password" type="password" required {...password} />
          <button type="submit">{name}</button>
        </Form>
        {children}
      </section>
    </Layout>
  );
}

function Next({ path }: { path: string | undefined }) {
  return path ? <input type="hidden" name="next" value={path} /> : null;
}

function ToSignIn({ next }: Pick<SignInProps, 'next'>) {
  return (
    <p class="quiet">
      Already have an account? <a href={withNext('/signin', next)}>Sign in</a>
    </p>
  );
}

/** Keeps the page to return to in links between sign-in and sign-up. */
export function withNext(path: string, next: string | undefined): string {
  return next ? `${path}?next=${encodeURIComponent(next)}` : path;
}
