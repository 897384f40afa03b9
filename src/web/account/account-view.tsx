import type { ProgramAccess } from '../../accounts/api-keys.ts';
import { pluralize } from '../../doctor/format.ts';
import type { FieldError } from '../../errors.ts';
import type { Language } from '../../http/preferred-language.ts';
import { type FormState, idOf, Input } from '../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';
import { PlanCard, type PlanProps } from './plan-card.tsx';
import { CurrentPassword } from './current-password-input.tsx';
import { ExportCard, type ExportState } from './export-card.tsx';
import { LanguageCard } from './language-card.tsx';
import { NoticesCard } from './notices-card.tsx';

export interface AccountProps {
  visitor: Visitor;
  email: {
    isConfirmed: boolean;
    /** A new address that waits to be confirmed. */
    pending: string | undefined;
    /** False where the service sends no mails. */
    canMail: boolean;
    /** Of mails. */
    language: Language;
    timeZone: string;
    /** Kinds of notices that are switched off. */
    muted: string[];
  };
  latestExport: ExportState | undefined;
  plan: PlanProps;
  flash?: string | undefined;
  /** What to review after the password has changed. */
  access?: ProgramAccess | undefined;
  /** Errors by the form they belong to. */
  errors?: { form: 'email' | 'password' | 'delete' | 'language'; list: FieldError[] } | undefined;
  /** The input, without passwords. */
  typed: FormState['values'];
}

type FormName = NonNullable<AccountProps['errors']>['form'];

const problems: Record<FormName, string> = {
  email: 'Your email was not changed.',
  password: 'Your password was not changed.',
  delete: 'Your account was not deleted.',
  language: 'Language and time zone were not changed.',
};

export function AccountView(props: AccountProps) {
  const { visitor, email, plan, latestExport, flash, access, errors, typed } = props;
  const stateOf = (form: FormName): FormState => ({
    values: typed,
    errors: errors?.form === form ? errors.list : [],
  });
  const problem = (form: FormName) => errors?.form === form && <Problem errors={errors} />;
  return (
    <Layout
      title={errors ? 'Error: Account' : 'Account'}
      visitor={visitor}
      at="/account"
      styles={['account']}
    >
      <h1>Account</h1>
      {(flash || access) && (
        <Notice kind="good">
          {flash && <p>{flash}</p>}
          {access && <AccessReview {...access} />}
        </Notice>
      )}
      <PlanCard visitor={visitor} plan={plan} />
      <section class="card">
        <h2>Security</h2>
        <p>
          <a href="/account/security">Two-factor sign-in, passkeys and sessions</a>
        </p>
      </section>
      <div class="columns side-by-side">
        <section class="card">
          <h2>Change email</h2>
          {problem('email')}
          <EmailState {...email} />
          <Form action="/account/email">
            <Input
              form={stateOf('email')}
              name="newEmail"
              label="New email"
              type="email"
              required
              autocomplete="email"
              maxLength={254}
            />
            <CurrentPassword form={stateOf('email')} name="emailPassword" purpose="change the email" />
            <button type="submit">Change email</button>
          </Form>
        </section>
        <section class="card" id="change-password">
          <h2>Change password</h2>
          {problem('password')}
          <p>Changing it signs you out on every other device.</p>
          <Form action="/account/password">
            <CurrentPassword form={stateOf('password')} name="oldPassword" purpose="change the password" />
            <Input
              form={stateOf('password')}
              name="newPassword"
              label="New password"
              type="password"
              required
              autocomplete="new-password"
              hint="At least 10 characters."
            />
            <button type="submit">Change password</button>
          </Form>
        </section>
      </div>
      {email.canMail && (
        <>
          <LanguageCard {...email} errors={stateOf('language').errors} problem={problem('language')} />
          <NoticesCard {...email} />
        </>
      )}
      <ExportCard latest={latestExport} isMailed={email.canMail && email.isConfirmed} />
      <section class="card danger">
        <h2>Delete account</h2>
        {problem('delete')}
        <p>This permanently deletes your keys, your codes and all their scans. Printed codes stop working.</p>
        <Form action="/account/delete">
          <Input
            form={stateOf('delete')}
            name="confirmation"
            label={`Type ${visitor.email} to confirm`}
            required
            autocomplete="off"
          />
          <CurrentPassword form={stateOf('delete')} name="deletePassword" purpose="delete the account" />
          <button type="submit" class="danger">
            Delete account
          </button>
        </Form>
      </section>
    </Layout>
  );
}

function AccessReview({ keys, webhooks }: ProgramAccess) {
  return (
    <p>
      Your account has {pluralize(keys, 'active API key')} and {pluralize(webhooks, 'active webhook')}, which
      work without your password. Remove those that you do not know: <a href="/keys">API keys</a>,{' '}
      <a href="/webhooks">webhooks</a>.
    </p>
  );
}

function EmailState({ isConfirmed, pending, canMail }: AccountProps['email']) {
  if (!canMail || (isConfirmed && pending === undefined)) return null;
  return (
    <>
      <p>
        {pending === undefined ? (
          'Your email address is not confirmed yet. Confirm it to get emails about your codes.'
        ) : (
          <>
            <bdi>{pending}</bdi> becomes your email address when you open the link in the email that was sent
            there.
          </>
        )}
      </p>
      <Form action="/account/confirm">
        <button type="submit" class="quiet">
          {pending === undefined ? 'Send the email to confirm it' : 'Send the email again'}
        </button>
      </Form>
    </>
  );
}

/** Beside the form, so that both are on the same screen. */
function Problem({ errors: { form, list } }: { errors: NonNullable<AccountProps['errors']> }) {
  return (
    <Notice kind="bad" isFocused>
      {problems[form]} Check the{' '}
      <a href={`#${idOf(list[0]?.field ?? '')}`}>{list.length === 1 ? 'marked field' : 'marked fields'}</a>.
    </Notice>
  );
}
