import type { FieldFault } from '../../errors.ts';
import { Field, Notice } from './fields.tsx';
import { figure } from './figure.ts';
import { Form, Layout, type Visitor } from './layout.tsx';

interface EntryProps {
  visitor: Visitor;
  email?: string;
  faults?: FieldFault[] | undefined;
  /** What is wrong with the whole, rather than with one field. */
  problem?: string | undefined;
  /** Where to go on after the sign-in. */
  next?: string | undefined;
}

export function SignUpView({ visitor, email, faults, problem }: EntryProps) {
  return (
    <Layout title="Sign up" visitor={visitor}>
      <section class="card narrow">
        <h1>Sign up</h1>
        <p>Free: as many codes and scans as you like, and 20 API requests an hour.</p>
        {problem && <Notice kind="bad">{problem}</Notice>}
        <Form action="/signup" visitor={visitor}>
          <EmailField value={email} faults={faults} />
          <Field
            label="Password"
            name="password"
            type="password"
            autocomplete="new-password"
            hint="At least 10 characters. A few unrelated words work well."
            faults={faults}
          />
          <button type="submit">Sign up</button>
        </Form>
        <p class="quiet">
          Already have an account? <a href="/signin">Sign in</a>
        </p>
      </section>
    </Layout>
  );
}

export function SignUpClosedView({ visitor }: Pick<EntryProps, 'visitor'>) {
  return (
    <Layout title="Sign-up is closed" visitor={visitor}>
      <section class="card narrow">
        <h1>Sign-up is closed</h1>
        <p>Ask whoever runs this service for an account.</p>
        <p class="quiet">
          Already have an account? <a href="/signin">Sign in</a>
        </p>
      </section>
    </Layout>
  );
}

export function SignInView({ visitor, email, faults, problem, next }: EntryProps) {
  return (
    <Layout title="Sign in" visitor={visitor}>
      <section class="card narrow">
        <h1>Sign in</h1>
        {problem && <Notice kind="bad">{problem}</Notice>}
        <Form action="/signin" visitor={visitor}>
          {next && <input type="hidden" name="next" value={next} />}
          <EmailField value={email} faults={faults} />
          <Field
            label="Password"
            name="password"
            type="password"
            autocomplete="current-password"
            faults={faults}
          />
          <button type="submit">Sign in</button>
        </Form>
        {visitor.canSignUp && (
          <p class="quiet">
            No account yet? <a href="/signup">Sign up</a>
          </p>
        )}
      </section>
    </Layout>
  );
}

function EmailField({ value, faults }: { value: string | undefined; faults: FieldFault[] | undefined }) {
  return (
    <Field
      label="Email"
      name="email"
      type="email"
      value={value ?? ''}
      autocomplete="username"
      maxLength={254}
      faults={faults}
    />
  );
}

export interface AccountProps {
  visitor: Visitor;
  plan: 'free' | 'pro';
  limits: { plan: string; requestsPerHour: number }[];
  use: { name: string; prefix: string; used: number; limit: number }[];
  done?: string | undefined;
  /** Faults by the form they belong to. */
  faults?: { form: 'email' | 'password' | 'delete'; list: FieldFault[] } | undefined;
  /** What was typed, but for passwords. */
  typed?: { newEmail: string; confirmation: string } | undefined;
}

const problems = {
  email: 'Your email is not changed.',
  password: 'Your password is not changed.',
  delete: 'Your account is not deleted.',
};

export function AccountView({ visitor, plan, limits, use, done, faults, typed }: AccountProps) {
  const of = (form: string) => (faults?.form === form ? faults.list : undefined);
  return (
    <Layout title={faults ? 'Error: Account' : 'Account'} visitor={visitor} at="/account">
      <h1>Account</h1>
      {faults && (
        <Notice kind="bad" isFocused>
          {problems[faults.form]} Check the <a href={`#${faults.list[0]?.field}`}>marked field</a>.
        </Notice>
      )}
      {done && <Notice kind="good">{done}</Notice>}
      <section class="card">
        <h2>Plan</h2>
        <p>
          You are on the <strong>{plan === 'pro' ? 'Pro' : 'Free'}</strong> plan. To change it, ask whoever
          runs this service.
        </p>
        <div class="scroll">
          <table>
            <caption>What each plan includes</caption>
            <thead>
              <tr>
                <th scope="col">Plan</th>
                <th scope="col" class="number">
                  API requests per hour and key
                </th>
              </tr>
            </thead>
            <tbody>
              {limits.map((limit) => (
                <tr key={limit.plan}>
                  <th scope="row">{limit.plan}</th>
                  <td class="number">{figure(limit.requestsPerHour)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {use.length > 0 && (
          <div class="scroll">
            <table>
              <caption>Requests in the last hour</caption>
              <thead>
                <tr>
                  <th scope="col">Key</th>
                  <th scope="col">Used</th>
                </tr>
              </thead>
              <tbody>
                {use.map(({ name, prefix, used, limit }) => (
                  <tr key={prefix}>
                    <th scope="row">
                      <bdi>{name}</bdi> <code>{prefix}</code>
                    </th>
                    <td>
                      <meter min={0} max={limit} value={used} aria-label={`Requests with ${name}`}>
                        {used}
                      </meter>{' '}
                      {figure(used)} of {figure(limit)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <div class="side-by-side">
        <section class="card">
          <h2>Change email</h2>
          <Form action="/account/email" visitor={visitor}>
            <Field
              label="New email"
              name="newEmail"
              type="email"
              value={typed?.newEmail ?? ''}
              autocomplete="email"
              maxLength={254}
              faults={of('email')}
            />
            <CurrentPassword id="emailPassword" faults={of('email')} />
            <button type="submit">Change email</button>
          </Form>
        </section>
        <section class="card">
          <h2>Change password</h2>
          <p>Changing it signs you out on every other device.</p>
          <Form action="/account/password" visitor={visitor}>
            <CurrentPassword id="oldPassword" faults={of('password')} />
            <Field
              label="New password"
              name="newPassword"
              type="password"
              autocomplete="new-password"
              hint="At least 10 characters."
              faults={of('password')}
            />
            <button type="submit">Change password</button>
          </Form>
        </section>
      </div>
      <section class="card danger">
        <h2>Delete account</h2>
        <p>
          This deletes your keys, your codes and all their scans, at once and for good. Printed codes will
          lead nowhere.
        </p>
        <Form action="/account/delete" visitor={visitor}>
          <Field
            label={`Type ${visitor.email} to confirm`}
            name="confirmation"
            value={typed?.confirmation ?? ''}
            autocomplete="off"
            faults={of('delete')}
          />
          <CurrentPassword id="deletePassword" faults={of('delete')} />
          <button type="submit" class="danger">
            Delete account
          </button>
        </Form>
      </section>
    </Layout>
  );
}

function CurrentPassword({ id, faults }: { id: string; faults: FieldFault[] | undefined }) {
  return (
    <Field
      label="Current password"
      name={id}
      type="password"
      autocomplete="current-password"
      faults={faults}
    />
  );
}
