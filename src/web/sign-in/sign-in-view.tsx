import type { ComponentChildren } from 'preact';
import { Input, type FormError } from '../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { PasskeyForm } from './passkey-form.tsx';
import { sectionName } from '../ui/sections.ts';
import { Notice } from '../ui/notice.tsx';

export interface SignInProps {
  visitor: Visitor;
  email?: string;
  errors?: FormError[] | undefined;
  /** An error of the whole form. */
  problem?: string | undefined;
  /** The page to return to. */
  next?: string | undefined;
  /** The task that the browser has to solve before the password is checked. */
  challenge?: string | undefined;
  /** Offers a link by mail, because the password alone does not help now. */
  canMail?: boolean;
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
      {props.canMail && <MailLinkForm email={props.email ?? ''} />}
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

/** Instead of the password, also for browsers without scripts. */
function MailLinkForm({ email }: { email: string }) {
  return (
    <Form action="/signin/forgot">
      <input type="hidden" name="email" value={email} />
      <input type="hidden" name="purpose" value="sign-in" />
      <button type="submit" class="quiet">
        Email me a sign-in link
      </button>
    </Form>
  );
}

/** Solved and filled in by proof.browser.js, which shows the progress. */
function Proof({ visitor, challenge }: { visitor: Visitor; challenge: string }) {
  return (
    <>
      <input type="hidden" name="proof" value="" data-challenge={challenge} />
      <p id="proof-status" hidden>
        <label for="proof-progress">Checking your browser…</label>
        <progress id="proof-progress" max="32" value="0" />
      </p>
      <noscript>
        <p class="error">This needs JavaScript, which is switched off in your browser.</p>
      </noscript>
      <script type="module" src={`${visitor.assets}/sign-in/proof.browser.js`} />
    </>
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

export function CredentialsForm({
  visitor,
  name,
  action,
  lead,
  password,
  email = '',
  errors = [],
  problem,
  next,
  challenge,
  children,
}: CredentialsFormProps) {
  const form = { values: { email }, errors };
  return (
    <Layout title={name} visitor={visitor} styles={challenge ? ['sign-in'] : []}>
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
          {challenge && <Proof visitor={visitor} challenge={challenge} />}
          <button type="submit">{name}</button>
        </Form>
        {children}
      </section>
    </Layout>
  );
}

export function Next({ path }: { path: string | undefined }) {
  return path ? <input type="hidden" name="next" value={path} /> : null;
}

export function ToSignIn({ next }: Pick<SignInProps, 'next'>) {
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
