import type { ProgramAccess } from '../../accounts/api-keys.ts';
import { pluralize } from '../../doctor/format.ts';
import type { FieldError } from '../../errors.ts';
import type { Language } from '../../http/preferred-language.ts';
import { type NoticeKind, noticeKinds } from '../../notices/owners.ts';
import { timeZones } from '../../runtime/time-zone.ts';
import { CheckBox, type FormState, Input, Reveal, Select, idOf } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Form, Layout, Notice, Page } from '../ui/layout.tsx';
import { Needs, useVisitor } from '../ui/visitor.ts';
import { CurrentPassword } from './current-password.tsx';
import type { WorkspaceOfPerson } from '../../workspaces/people.ts';

export interface AccountProps {
  email: {
    isConfirmed: boolean;
    /** A new address that waits to be confirmed. */
    pending: string | undefined;
    /** False where the service sends no mails. */
    canMail: boolean;
    /** The language of mails. */
    language: Language;
    timeZone: string;
    /** Kinds of notices that are switched off. */
    muted: string[];
  };
  /** The person's workspaces. */
  workspaces: Pick<WorkspaceOfPerson, 'id' | 'slug' | 'name' | 'role'>[];
  /** What to review after the password has changed. */
  access: ProgramAccess | undefined;
  refused: RefusedForm | undefined;
  /** The input, without passwords. */
  values: FormState['values'];
}

/** The page has several forms. */
export interface RefusedForm {
  name: 'email' | 'password' | 'delete' | 'language';
  errors: FieldError[];
}

const refusedTexts: Record<RefusedForm['name'], string> = {
  email: 'Your email was not changed.',
  password: 'Your password was not changed.',
  delete: 'Your account was not deleted.',
  language: 'Language and time zone were not changed.',
};

export function AccountView({ email, workspaces, access, refused, values }: AccountProps) {
  const visitor = useVisitor();
  const errorsOf = (name: RefusedForm['name']) => (refused?.name === name ? refused.errors : []);
  const formOf = (name: RefusedForm['name']): FormState => ({ values, errors: errorsOf(name) });
  const refusal = (name: RefusedForm['name']) => refused?.name === name && <Refused {...refused} />;
  return (
    <Layout title={refused ? 'Error: Account' : 'Account'} at="/account" styles={['account']}>
      <h1>Account</h1>
      {(visitor.flash || access) && (
        <Notice kind="good" isToast={!access}>
          {visitor.flash && <p>{visitor.flash}</p>}
          {access && <AccessReview {...access} />}
        </Notice>
      )}
      <WorkspacesCard workspaces={workspaces} />
      <section class="card setting">
        <h2>Security</h2>
        <p>
          {visitor.provider?.isOnly
            ? 'How you sign in, and where you are signed in.'
            : 'Two-factor sign-in, passkeys, and where you are signed in.'}
        </p>
        <p>
          <a class="button quiet" href="/account/security">
            <Icon name="shield-check" />
            Manage security
          </a>
        </p>
      </section>
      <section class="card setting">
        <h2>Email</h2>
        {refusal('email')}
        <p>
          <bdi>{visitor.email}</bdi>
        </p>
        <EmailState {...email} />
        <Reveal title="Change email…" isOpen={refused?.name === 'email'}>
          <Form action="/account/email">
            <Input
              form={formOf('email')}
              name="newEmail"
              label="New email"
              type="email"
              required
              autocomplete="email"
              maxLength={254}
            />
            <CurrentPassword
              form={formOf('email')}
              name="emailPassword"
              purpose="change the email"
              page="/account"
            />
            <button type="submit" class="quiet">
              Change email
            </button>
          </Form>
        </Reveal>
      </section>
      {!visitor.provider?.isOnly && (
        <section class="card setting" id="change-password">
          <h2>Password</h2>
          {refusal('password')}
          <p>Changing it signs you out on every other device.</p>
          <Reveal title="Change password…" isOpen={refused?.name === 'password'}>
            <Form action="/account/password">
              <CurrentPassword
                form={formOf('password')}
                name="oldPassword"
                purpose="change the password"
                page="/account"
              />
              <Input
                form={formOf('password')}
                name="newPassword"
                label="New password"
                type="password"
                required
                autocomplete="new-password"
                hint="At least 10 characters."
              />
              <button type="submit" class="quiet">
                Change password
              </button>
            </Form>
          </Reveal>
        </section>
      )}
      <section class="card setting">
        <h2>{email.canMail ? 'Language of emails and time zone' : 'Time zone'}</h2>
        {refusal('language')}
        <LanguageForm
          form={{
            values: { language: email.language, timeZone: email.timeZone },
            errors: errorsOf('language'),
          }}
          hasEmails={email.canMail}
        />
      </section>
      {email.canMail && <NoticesCard {...email} />}
      <section class="card setting" id="export">
        <h2>Export your data</h2>
        <p>
          <a href="/account/data.json" download>
            Download what belongs to your account
          </a>{' '}
          as JSON. Codes, scans, keys and files are in the export of{' '}
          <a href="/workspace#export">the workspace</a>.
        </p>
      </section>
      <section class="card setting danger">
        <h2>Delete account</h2>
        {refusal('delete')}
        <p>
          This permanently deletes the workspaces of which you are the only member, with their keys, codes,
          also those in the trash, and all their scans. Printed codes stop working. You leave the others.
        </p>
        <Reveal title="Delete account…" isOpen={refused?.name === 'delete'} isDanger>
          <Form action="/account/delete">
            <Input
              form={formOf('delete')}
              name="confirmation"
              label={`Type ${visitor.email} to confirm`}
              required
              autocomplete="off"
            />
            <CurrentPassword
              form={formOf('delete')}
              name="deletePassword"
              purpose="delete the account"
              page="/account"
            />
            <button type="submit" class="danger">
              Delete account
            </button>
          </Form>
        </Reveal>
      </section>
    </Layout>
  );
}

function WorkspacesCard({ workspaces }: Pick<AccountProps, 'workspaces'>) {
  const { email } = useVisitor();
  return (
    <section class="card setting">
      <h2>Workspaces</h2>
      <p>
        Signed in as{' '}
        <strong>
          <bdi>{email}</bdi>
        </strong>
      </p>
      {workspaces.length === 0 ? (
        <p>You are not a member of a workspace.</p>
      ) : (
        <ul>
          {workspaces.map(({ id, slug, name, role }) => (
            <li key={id}>
              <a href={`/w/${slug}/workspace`}>
                <bdi>{name}</bdi>
              </a>{' '}
              <span class="badge">{role}</span> <span class="quiet">/w/{slug}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <a class="button quiet" href="/workspaces/new">
          <Icon name="plus" />
          New workspace
        </a>
      </div>
    </section>
  );
}

function AccessReview({ keys, webhooks }: ProgramAccess) {
  return (
    <p>
      Your account has {pluralize(keys, 'active API key')} and {pluralize(webhooks, 'active webhook')}, which
      work without your password.
      <Needs access="owner">
        {' '}
        Remove those that you do not know: <a href="/keys">API keys</a>, <a href="/webhooks">webhooks</a>.
      </Needs>
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
function Refused({ name, errors }: RefusedForm) {
  return (
    <Notice kind="bad" isFocused>
      {refusedTexts[name]} Check the{' '}
      <a href={`#${idOf(errors[0]?.field ?? '')}`}>
        {errors.length === 1 ? 'marked field' : 'marked fields'}
      </a>
      .
    </Notice>
  );
}

const languageNames: [Language, string][] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['fr', 'Français'],
  ['es', 'Español'],
  ['pt', 'Português'],
  ['zh', '中文'],
];
/** Stored as no time zone. */
export const zoneOfBrowser = 'browser';
const zoneNames: [string, string][] = [
  [zoneOfBrowser, 'As in the browser (UTC in emails)'],
  ...timeZones.map((name): [string, string] => [name, name.replaceAll('_', ' ')]),
];

/** Pages are in English: only emails have another language. */
function LanguageForm({ form, hasEmails }: { form: FormState; hasEmails: boolean }) {
  return (
    <Form action="/account/language">
      {hasEmails ? (
        <Select form={form} name="language" label="Language" choices={languageNames} />
      ) : (
        <input type="hidden" name="language" value={form.values['language']} />
      )}
      <Select
        form={form}
        name="timeZone"
        label="Time zone"
        choices={zoneNames}
        hint="Pages show times there, and days and weeks in emails begin at midnight there. Statistics count days in UTC."
      />
      <button type="submit" class="quiet">
        {hasEmails ? 'Save language and time zone' : 'Save time zone'}
      </button>
    </Form>
  );
}

const noticeLabels: Record<NoticeKind, string> = {
  ending: 'A code expires in 60, 30, 7 days or 1 day',
  'first-scan': 'A code is scanned for the first time',
  weekly: 'Summary of the week, on Monday',
  silence: 'A code that is scanned every day was not scanned today',
  destination: 'A code leads to a page that does not work',
};

/** A switch for each kind of notice. */
function NoticesCard({ muted, isConfirmed }: Pick<AccountProps['email'], 'muted' | 'isConfirmed'>) {
  const values = Object.fromEntries(noticeKinds.map((kind) => [kind, muted.includes(kind) ? '' : 'on']));
  return (
    <section class="card setting" id="notices">
      <h2>Emails about your codes</h2>
      {!isConfirmed && <p>You get them once your email address is confirmed.</p>}
      <Form action="/account/notices">
        {noticeKinds.map((kind) => (
          <CheckBox key={kind} form={{ values, errors: [] }} name={kind} label={noticeLabels[kind]} />
        ))}
        <button type="submit" class="quiet">
          Save choice
        </button>
      </Form>
    </section>
  );
}

export function UnsubscribeView({ kind, isDone }: { kind: NoticeKind; isDone: boolean }) {
  const title = 'Emails about your codes';
  if (isDone)
    return (
      <Page title={title}>
        <Notice kind="good">You no longer get emails of this kind: {noticeLabels[kind]}.</Notice>
        <p>
          <a href="/account#notices">Choose which emails you get</a>
        </p>
      </Page>
    );
  return (
    <Page title={title}>
      <section class="card narrow">
        <p>Stop emails of this kind? {noticeLabels[kind]}.</p>
        <form method="post">
          <input type="hidden" name="List-Unsubscribe" value="One-Click" />
          <button type="submit">Stop these emails</button>
        </form>
      </section>
    </Page>
  );
}
