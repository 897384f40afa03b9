import type { Identity } from '../../accounts/identities.ts';
import type { Passkey, SecondFactors } from '../../accounts/second-factors.ts';
import type { OpenSession } from '../../accounts/sessions.ts';
import { drawSvg } from '../../codes/image/draw.ts';
import { CurrentPassword } from '../account/current-password.tsx';
import { type FormState, Input, Reveal, Select } from '../ui/controls.tsx';
import { CopyableField, CopyableText } from '../ui/copyable.tsx';
import { Form, NarrowPage, Page } from '../ui/layout.tsx';
import { Table } from '../ui/table.tsx';
import { Moment } from '../ui/time.tsx';
import { useVisitor } from '../ui/visitor.ts';

interface SecurityProps {
  sessions: OpenSession[];
  factors: SecondFactors;
  passkeys: Passkey[];
  /** The account of the OpenID provider that signs in to this one. */
  identity: Identity | undefined;
  canUnlink: boolean;
  /** False until the email is confirmed. */
  canAdd: boolean;
  /** An authenticator app that is being set up. */
  setUp: { secret: string; url: string } | undefined;
  form: FormState;
}

export function SecurityView(props: SecurityProps) {
  const { assets, provider } = useVisitor();
  const { sessions, identity, canUnlink, form } = props;
  return (
    <Page
      title="Security"
      at="/account"
      styles={['keys', 'security']}
      back={['/account', 'Account']}
      form={form}
    >
      {!provider?.isOnly && <LocalFactors {...props} />}
      {provider && <ProviderCard form={form} identity={identity} canUnlink={canUnlink} />}
      <section class="card setting">
        <h2>Sessions</h2>
        <SessionTable sessions={sessions} />
        <Form action="/account/security/sessions/end" class="after">
          <div class="row">
            <button type="submit" class="quiet">
              Sign out everywhere else
            </button>
            <button type="submit" class="ghost danger" name="all" value="on">
              Sign out everywhere
            </button>
          </div>
        </Form>
      </section>
      <script type="module" src={`${assets}/security/passkey.browser.js`} />
    </Page>
  );
}

/** What this service asks for itself. */
function LocalFactors({ factors, passkeys, canAdd, setUp, form }: SecurityProps) {
  const isOn = factors.hasTotp || passkeys.length > 0;
  return (
    <>
      <section class="card setting">
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
          <Reveal title="New recovery codes…" isOpen={hasError(form, 'recoveryPassword')}>
            <Form action="/account/security/recovery">
              <CurrentPassword form={form} name="recoveryPassword" purpose="create recovery codes" />
              <button type="submit" class="quiet">
                Create new recovery codes
              </button>
            </Form>
          </Reveal>
        )}
      </section>
      <section class="card setting" id="app">
        <h2>Authenticator app</h2>
        <App form={form} isOn={factors.hasTotp} setUp={setUp} />
      </section>
      <section class="card setting">
        <h2>Passkeys</h2>
        <p>
          A passkey is kept by your phone, computer or security key, and unlocked with a fingerprint, your
          face or a PIN. It signs you in without a password.
        </p>
        {passkeys.length > 0 && <RemovePasskey form={form} passkeys={passkeys} />}
        <Reveal title="New passkey…" isOpen={hasError(form, 'passkeyPassword') || hasError(form, 'name')}>
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
            <button type="submit" class="quiet" data-passkey="create">
              Add a passkey
            </button>
          </Form>
        </Reveal>
      </section>
    </>
  );
}

function ProviderCard({ form, identity, canUnlink }: Pick<SecurityProps, 'form' | 'identity' | 'canUnlink'>) {
  const { provider } = useVisitor();
  const name = <bdi>{provider?.name}</bdi>;
  return (
    <section class="card setting" id="identity">
      <h2>Sign-in with {name}</h2>
      {identity ? (
        <p>
          Linked to <bdi>{identity.email}</bdi> since <Moment at={identity.createdAt} show="day" />, last used{' '}
          <Moment at={identity.lastUsedAt} />.
        </p>
      ) : (
        <p>Link your account at {name} to sign in here without a password.</p>
      )}
      {!identity && (
        <Reveal title="Link…" isOpen={hasError(form, 'linkPassword')}>
          <Form action="/account/security/identity">
            <CurrentPassword form={form} name="linkPassword" purpose={`link ${provider?.name}`} />
            <button type="submit" class="quiet">
              Link your account
            </button>
          </Form>
        </Reveal>
      )}
      {identity && !canUnlink && (
        <p>It is the only way to sign in to your account, so it cannot be removed.</p>
      )}
      {identity && canUnlink && (
        <Reveal title="Remove the link…" isOpen={hasError(form, 'unlinkPassword')}>
          <Form action="/account/security/identity/delete">
            <CurrentPassword
              form={form}
              name="unlinkPassword"
              purpose={`remove the link to ${provider?.name}`}
            />
            <button type="submit" class="quiet">
              Remove the link
            </button>
          </Form>
        </Reveal>
      )}
    </section>
  );
}

function hasError({ errors }: FormState, name: string): boolean {
  return errors.some(({ field }) => field === name);
}

function App({ form, isOn, setUp }: { form: FormState; isOn: boolean; setUp: SecurityProps['setUp'] }) {
  if (setUp) return <SetUp form={form} {...setUp} />;
  return (
    <>
      <p>{isOn ? 'On.' : 'An app on your phone shows a new code every 30 seconds.'}</p>
      <Reveal title={isOn ? 'Turn off…' : 'Set up…'} isOpen={hasError(form, 'totpPassword')}>
        <Form action={isOn ? '/account/security/totp/delete' : '/account/security/totp'}>
          <CurrentPassword
            form={form}
            name="totpPassword"
            purpose={isOn ? 'turn off the app' : 'set up an app'}
          />
          <button type="submit" class="quiet">
            {isOn ? 'Turn off the authenticator app' : 'Set up an authenticator app'}
          </button>
        </Form>
      </Reveal>
    </>
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
      <div class="totp-code" dangerouslySetInnerHTML={{ __html: svg }} />
      <div class="totp-key">
        <CopyableField id="totp-key" label="Key" value={secret} button="Copy key" quiet />
      </div>
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
        <div class="row">
          <button type="submit">Turn on</button>
          <button type="submit" class="quiet" formaction="/account/security/totp/cancel" formnovalidate>
            Cancel
          </button>
        </div>
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
    <>
      <ul class="passkeys">
        {choices.map(([id, text]) => (
          <li key={id}>
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
      <Reveal
        title="Remove a passkey…"
        isOpen={hasError(form, 'removePassword') || hasError(form, 'passkey')}
      >
        <Form action="/account/security/passkeys/delete">
          <Select form={form} name="passkey" label="Your passkeys" choices={choices} />
          <CurrentPassword form={form} name="removePassword" purpose="remove a passkey" />
          <button type="submit" class="quiet">
            Remove this passkey
          </button>
        </Form>
      </Reveal>
    </>
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
              {isCurrent && (
                <>
                  {' '}
                  <span class="badge good">this one</span>
                </>
              )}
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
        <a class="button quiet" href="/account/security">
          Back to security
        </a>
      </p>
    </NarrowPage>
  );
}
