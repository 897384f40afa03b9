import type { ComponentChildren } from 'preact';
import type { Limits } from '../../limits.ts';
import { type FormState, Input } from '../ui/controls.tsx';
import { Form, NarrowPage } from '../ui/layout.tsx';
import { sectionName, withNext } from '../ui/sections.ts';
import { useVisitor } from '../ui/visitor.ts';
import { ProviderForm } from './openid-view.tsx';
import { figure } from '../ui/words.tsx';

export interface SignInProps {
  form: FormState;
  /** The page to return to. */
  next?: string | undefined;
  /** The task that the browser has to solve before the password is checked. */
  challenge?: string | undefined;
  /** Offers a link by mail, because the password alone does not help now. */
  canMail?: boolean | undefined;
}

export function SignInView({ form, next, challenge, canMail }: SignInProps) {
  const { provider } = useVisitor();
  const name = next && sectionName(next);
  return (
    <NarrowPage
      title="Sign in"
      at="/signin"
      form={form}
      heading={<Welcome title="Sign in" />}
      styles={['sign-in']}
    >
      {name ? (
        <p>Sign in to open {name}. This page belongs to an account.</p>
      ) : (
        <p class="quiet">Welcome back to your codes and their scans.</p>
      )}
      {provider?.isOnly ? (
        <ProviderForm next={next} isQuiet={false} />
      ) : (
        <LocalSignIn form={form} next={next} challenge={challenge} canMail={canMail} />
      )}
    </NarrowPage>
  );
}

/** With a password or a passkey. */
function LocalSignIn({ form, next, challenge, canMail }: SignInProps) {
  const { canSignUp } = useVisitor();
  return (
    <>
      <CredentialsForm
        form={form}
        action="/signin"
        next={next}
        password={{ autocomplete: 'current-password' }}
        button="Sign in"
      >
        {challenge && <Proof challenge={challenge} />}
      </CredentialsForm>
      {canMail && <MailLinkForm email={form.values['email'] ?? ''} />}
      <PasskeyForm next={next} />
      <ProviderForm next={next} isQuiet />
      <p class="quiet">
        <a href="/signin/forgot">Forgot your password?</a>
      </p>
      {canSignUp && (
        <p class="quiet">
          No account yet? <a href={withNext('/signup', next)}>Sign up</a>
        </p>
      )}
    </>
  );
}

/** The mark of the service above the heading. */
function Welcome({ title }: { title: string }) {
  const { brand, assets } = useVisitor();
  return (
    <>
      <img class="mark" src={brand.icon?.path ?? `${assets}/ui/icon.svg`} width="48" height="48" alt="" />
      <h1>{title}</h1>
    </>
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
function Proof({ challenge }: { challenge: string }) {
  const { assets } = useVisitor();
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
      <script type="module" src={`${assets}/sign-in/proof.browser.js`} />
    </>
  );
}

interface FieldProps {
  autocomplete: string;
  hint?: string;
}

interface CredentialsFormProps {
  form: FormState;
  action: string;
  next: string | undefined;
  email?: FieldProps;
  /** Undefined where the password is chosen later. */
  password?: FieldProps;
  button: string;
  children?: ComponentChildren;
}

/** Email and password, to sign in or to sign up. */
function CredentialsForm(props: CredentialsFormProps) {
  const { form, action, next, email = { autocomplete: 'username' }, password, button, children } = props;
  return (
    <Form action={action}>
      <Next path={next} />
      <Input
        form={form}
        name="email"
        label="Email"
        type="email"
        required
        autofocus
        maxLength={254}
        {...email}
      />
      {password && (
        <Input form={form} name="password" label="Password" type="password" required canShow {...password} />
      )}
      {children}
      <button type="submit">{button}</button>
    </Form>
  );
}

function Next({ path }: { path: string | undefined }) {
  return path ? <input type="hidden" name="next" value={path} /> : null;
}

interface SecondFactorProps {
  hasPasskeys: boolean;
  next: string;
  form: FormState;
}

export function SecondFactorView({ hasPasskeys, next, form }: SecondFactorProps) {
  return (
    <NarrowPage title="Second step" form={form}>
      <p>Your account is protected with two-factor sign-in.</p>
      {hasPasskeys && <PasskeyForm next={next} />}
      <Form action="/signin/second">
        <Next path={next} />
        <Input
          form={form}
          name="code"
          label="Authentication code"
          required
          autofocus
          autocomplete="one-time-code"
          maxLength={50}
          hint="From your authenticator app, or one of your recovery codes."
        />
        <button type="submit">Sign in</button>
      </Form>
      <p class="quiet">
        <a href="/signin">Back to sign-in</a>
      </p>
    </NarrowPage>
  );
}

/** Hidden until passkey.browser.js finds that the browser knows passkeys. */
function PasskeyForm({ next }: { next: string | undefined }) {
  const { assets } = useVisitor();
  return (
    <Form action="/signin/passkey" class="passkey">
      <Next path={next} />
      <input type="hidden" name="response" value="" />
      <button type="submit" class="quiet" data-passkey="get" hidden>
        Sign in with a passkey
      </button>
      {/* Inside, so that the form is next to what is above and below it on the page. */}
      <script type="module" src={`${assets}/security/passkey.browser.js`} />
    </Form>
  );
}

interface SignUpProps {
  /** The limits of new accounts. */
  limits: Limits;
  /** Whoever gets the mail chooses the password. Otherwise the account is there at once. */
  isByMail: boolean;
  next: string | undefined;
  form: FormState;
}

export function SignUpView({ limits, isByMail, next, form }: SignUpProps) {
  return (
    <NarrowPage
      title="Sign up"
      at="/signup"
      form={form}
      heading={<Welcome title="Sign up" />}
      styles={['sign-in']}
    >
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
      <ProviderForm next={next} isQuiet />
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
