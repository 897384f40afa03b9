import type { Passkey, SecondFactors } from '../../accounts/second-factors.ts';
import type { OpenSession } from '../../accounts/sessions.ts';
import { drawSvg } from '../../codes/image/draw.ts';
import { CurrentPassword } from '../account/account-view.tsx';
import { type FormState, Input, Select } from '../ui/controls.tsx';
import { CopyableField, CopyableText } from '../ui/copyable.tsx';
import { Form, NarrowPage, Page } from '../ui/layout.tsx';
import { Table } from '../ui/table.tsx';
import { Moment } from '../ui/time.tsx';
import { useVisitor } from '../ui/visitor.ts';

interface SecurityProps {
  sessions: OpenSession[];
  factors: SecondFactors;
  passkeys: Passkey[];
  /** False until the email is confirmed. */
  canAdd: boolean;
  /** An authenticator app that is being set up. */
  setUp: { secret: string; url: string } | undefined;
  form: FormState;
}

export function SecurityView({ sessions, factors, passkeys, canAdd, setUp, form }: SecurityProps) {
  const { assets } = useVisitor();
  const isOn = factors.hasTotp || passkeys.length > 0;
  return (
    <Page title="Security" at="/account" styles={['keys']} back={['/account', '← Account']} form={form}>
      <section class="card">
        <h2>Two-factor sign-in</h2>
        <p>
          {isOn
            ? 'On. Besides your password, signing in needs one of the following.'
            : 'Off. With an authenticator app or a passkey, a stolen password is not enough to sign in.'}
        </p>
        {!canAdd && (
          <p>
            Before you turn it on, confirm your email on the page <a href="/account">Account</a>.
          </p>
        )}
        {isOn && (
          <p>
            {factors.recoveryCodes === 1 ? '1 recovery code' : `${factors.recoveryCodes} recovery codes`}{' '}
            left.
          </p>
        )}
        {isOn && (
          <Form action="/account/security/recovery">
            <CurrentPassword form={form} name="recoveryPassword" purpose="create recovery codes" />
            <button type="submit" class="quiet">
              Create new recovery codes
            </button>
          </Form>
        )}
      </section>
      <section class="card" id="app">
        <h2>Authenticator app</h2>
        <App form={form} isOn={factors.hasTotp} setUp={setUp} />
      </section>
      <section class="card">
        <h2>Passkeys</h2>
        <p>
          A passkey is kept by your phone, computer or security key, and unlocked with a fingerprint, your
          face or a PIN. It signs you in without a password.
        </p>
        {passkeys.length > 0 && <RemovePasskey form={form} passkeys={passkeys} />}
        <Form action="/account/security/passkeys" class="passkey">
          <input type="hidden" name="response" value="" />
          <Input
            form={form}
            name="name"
            label="Name of a new passkey"
            maxLength={60}
            autocomplete="off"
            hint="Such as the device that keeps it."
          />
          <CurrentPassword form={form} name="passkeyPassword" purpose="add a passkey" />
          <button type="submit" data-passkey="create">
            Add a passkey
          </button>
        </Form>
      </section>
      <section class="card">
        <h2>Sessions</h2>
        <SessionTable sessions={sessions} />
        <Form action="/account/security/sessions/end" class="after">
          <div class="row">
            <button type="submit" class="quiet">
              Sign out everywhere else
            </button>
            <button type="submit" class="quiet" name="all" value="on">
              Sign out everywhere
            </button>
          </div>
        </Form>
      </section>
      <script type="module" src={`${assets}/security/passkey.browser.js`} />
    </Page>
  );
}

function App({ form, isOn, setUp }: { form: FormState; isOn: boolean; setUp: SecurityProps['setUp'] }) {
  if (setUp) return <SetUp form={form} {...setUp} />;
  return (
    <Form action={isOn ? '/account/security/totp/delete' : '/account/security/totp'}>
      <p>{isOn ? 'On.' : 'An app on your phone shows a new code every 30 seconds.'}</p>
      <CurrentPassword
        form={form}
        name="totpPassword"
        purpose={isOn ? 'turn off the app' : 'set up an app'}
      />
      <button type="submit" class={isOn ? 'quiet' : undefined}>
        {isOn ? 'Turn off the authenticator app' : 'Set up an authenticator app'}
      </button>
    </Form>
  );
}

function SetUp({ form, secret, url }: { form: FormState; secret: string; url: string }) {
  // Not by the image thread, which would keep the picture.
  const svg = drawSvg({
    text: url,
    errorCorrection: 'M',
    size: 240,
    foregroundColor: '#000000',
    backgroundColor: '#ffffff',
  });
  return (
    <>
      <p>Scan this code with the app, or enter the key. Then type the code that the app shows.</p>
      <div dangerouslySetInnerHTML={{ __html: svg }} />
      <CopyableField id="totp-key" label="Key" value={secret} button="Copy key" quiet />
      <Form action="/account/security/totp/confirm" class="after">
        <Input
          form={form}
          name="code"
          label="Authentication code"
          inputMode="numeric"
          required
          autocomplete="one-time-code"
          maxLength={10}
        />
        <button type="submit">Turn on</button>
      </Form>
      <Form action="/account/security/totp/cancel">
        <button type="submit" class="quiet">
          Cancel
        </button>
      </Form>
    </>
  );
}

function RemovePasskey({ form, passkeys }: { form: FormState; passkeys: Passkey[] }) {
  const choices = passkeys.map(({ credentialId, name, createdAt }): [string, string] => [
    credentialId,
    `${name} (${createdAt.toISOString().slice(0, 10)})`,
  ]);
  return (
    <Form action="/account/security/passkeys/delete">
      <Select form={form} name="passkey" label="Your passkeys" choices={choices} />
      <CurrentPassword form={form} name="removePassword" purpose="remove a passkey" />
      <button type="submit" class="quiet">
        Remove this passkey
      </button>
    </Form>
  );
}

function SessionTable({ sessions }: { sessions: OpenSession[] }) {
  return (
    <Table
      class="keys"
      caption="Where you are signed in"
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Browser',
          cell: ({ device, isCurrent }) => (
            <span>
              <bdi>{device ?? 'Unknown browser'}</bdi>
              {isCurrent && ' (this one)'}
            </span>
          ),
        },
        { name: 'Signed in', cell: ({ createdAt }) => <Moment at={createdAt} /> },
        { name: 'Last used', cell: ({ seenAt }) => <Moment at={seenAt} /> },
        { name: 'Sign out', isAction: true, cell: (session) => <SignOutForm {...session} /> },
      ]}
    />
  );
}

function SignOutForm({ id, device, isCurrent }: OpenSession) {
  if (isCurrent) return null;
  return (
    <Form action="/account/security/sessions/end">
      <input type="hidden" name="session" value={id} />
      <button type="submit" class="button small quiet" aria-label={`Sign out ${device ?? 'unknown browser'}`}>
        Sign out
      </button>
    </Form>
  );
}

export function RecoveryCodesView({ codes }: { codes: string[] }) {
  return (
    <NarrowPage title="Recovery codes" at="/account">
      <p>
        Keep these codes in a safe place. If you lose your phone or your passkey, each of them lets you sign
        in once. They are not shown again, and replace all earlier ones.
      </p>
      <CopyableText id="recovery-codes" label="Copy the recovery codes" text={codes.join('\n')} />
      <p>
        <a href="/account/security">Back to security</a>
      </p>
    </NarrowPage>
  );
}
