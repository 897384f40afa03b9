import type { ApiKey } from '../../accounts/api-keys.ts';
import { type Scope, scopes, scopeTexts } from '../../accounts/key-scopes.ts';
import { lastDayOf } from '../../codes/lifetime.ts';
import { dayMs } from '../../runtime/units.ts';
import { Choices } from '../ui/choices.tsx';
import { CheckBox, type FormState, Input } from '../ui/controls.tsx';
import { DayPresets } from '../ui/day-presets.tsx';
import { Icon } from '../ui/icons.tsx';
import { Empty } from '../ui/empty.tsx';
import { Confirmation, Form, NarrowPage, Page } from '../ui/layout.tsx';
import { Table } from '../ui/table.tsx';
import { Day, Moment } from '../ui/time.tsx';
import { useVisitor } from '../ui/visitor.ts';
import { figure, withTemplates } from '../ui/words.tsx';
import { maxNameLength, scopeField } from './key-form.ts';

export interface KeyRow {
  key: ApiKey;
  /** Whoever created it is no longer an owner here. */
  isMakerGone: boolean;
  lastUsedAt: Date | undefined;
  state: ReturnType<ApiKey['stateAt']>;
  remaining: number;
  limit: number;
}

interface KeysProps {
  keys: KeyRow[];
  form: FormState;
  now: Date;
}

export function KeysView({ keys, form, now }: KeysProps) {
  const { flash } = useVisitor();
  const active = keys.filter(({ state }) => state === 'active');
  const ended = keys.filter(({ state }) => state !== 'active');
  return (
    <Page title="API keys" at="/keys" styles={['keys']} form={form}>
      {keys.length === 0 ? (
        <Empty icon="key-round" title="No keys yet">
          <p>
            A key lets a program create codes and read scans for you. It is shown once, when you create it, so
            keep it safe.
          </p>
          <NewKeyForm form={form} />
        </Empty>
      ) : (
        <>
          <section class="card">
            {active.length > 0 ? (
              <KeyTable caption="Your keys, newest first" keys={active} isActive now={now} />
            ) : (
              <p>No active keys: create one below.</p>
            )}
            {ended.length > 0 && (
              <details open={flash !== undefined}>
                <summary>
                  {ended.length} revoked or expired {ended.length === 1 ? 'key' : 'keys'}
                </summary>
                <KeyTable
                  caption="Revoked and expired keys, newest first"
                  keys={ended}
                  isActive={false}
                  now={now}
                />
              </details>
            )}
          </section>
          <section class="card form">
            <h2>New key</h2>
            <NewKeyForm form={form} />
          </section>
        </>
      )}
    </Page>
  );
}

function NewKeyForm({ form }: { form: FormState }) {
  return (
    <Form action="/keys" class="new-key">
      <Input
        form={form}
        name="name"
        label="Name"
        required
        autocomplete="off"
        maxLength={maxNameLength}
        hint="What the key is for, such as the program that will use it."
      />
      <Choices
        form={form}
        name="access"
        label="Permissions"
        look="segments"
        choices={[
          { value: 'everything', text: 'Everything' },
          { value: 'some', text: 'Selected' },
        ]}
      />
      <ScopeBoxes form={form} />
      <Input
        form={form}
        name="lastDay"
        label="Expires (optional)"
        type="date"
        hint="The key works through the end of this day (UTC). Empty: until you revoke it."
      />
      <DayPresets
        label="When it expires"
        names={['lastDay']}
        presets={[
          ['30 days', '30 days'],
          ['90 days', '90 days'],
          ['1 year', '1 years'],
          ['None', ''],
        ]}
      />
      <button type="submit">Create key</button>
    </Form>
  );
}

const titleOf = (scope: Scope) => scope.charAt(0).toUpperCase() + scope.slice(1);

/** The style sheet hides them while the key can do everything. */
function ScopeBoxes({ form }: { form: FormState }) {
  const error = form.errors.find(({ field }) => field === 'scopes');
  return (
    <fieldset class="scopes" aria-describedby={error && 'scopes-error'}>
      <legend>Selected permissions</legend>
      {scopes.map((scope) => (
        <CheckBox
          key={scope}
          form={form}
          name={scopeField(scope)}
          label={titleOf(scope)}
          hint={withTemplates(scopeTexts[scope])}
        />
      ))}
      {error && (
        <p class="error" id="scopes-error">
          {error.message}.
        </p>
      )}
    </fieldset>
  );
}

interface KeyTableProps {
  caption: string;
  keys: KeyRow[];
  isActive: boolean;
  now: Date;
}

/** Keys that have ended have no quota and no action. */
function KeyTable({ caption, keys, isActive, now }: KeyTableProps) {
  const left = {
    name: 'Left this hour',
    cell: ({ remaining, limit }: KeyRow) => `${figure(remaining)} of ${figure(limit)}`,
  };
  const revoke = { name: 'Revoke', isAction: true, cell: ({ key }: KeyRow) => <RevokeLink apiKey={key} /> };
  const state = {
    name: 'State',
    cell: (row: KeyRow) => <span class="badge">{row.state}</span>,
  };
  return (
    <Table
      class="keys with-action"
      caption={caption}
      rows={keys}
      keyOf={({ key }) => key.id}
      columns={[
        {
          name: 'Name',
          cell: ({ key, isMakerGone }) => (
            <>
              <bdi>{key.name}</bdi> {isActive && <RenameLink apiKey={key} />}
              {isActive && <ActiveBadge expiresAt={key.expiresAt} now={now} />}
              {isActive && isMakerGone && (
                <span class="maker-gone">
                  <MakerGone email={key.createdByEmail} role="owner" /> Revoke it if they know it.
                </span>
              )}
            </>
          ),
        },
        { name: 'Key', cell: ({ key }) => <KeyPrefix prefix={key.prefix} /> },
        {
          name: 'Permissions',
          cell: ({ key }) => <span class="granted">{key.scopes?.join(', ') ?? 'everything'}</span>,
        },
        {
          name: 'Created',
          cell: ({ key, isMakerGone }) => (
            <span class="made">
              <Moment at={key.createdAt} show="day" />
              {key.createdByEmail !== null && !isMakerGone && (
                <bdi class="maker" title={key.createdByEmail}>
                  {key.createdByEmail}
                </bdi>
              )}
            </span>
          ),
        },
        {
          name: 'Last used',
          cell: ({ lastUsedAt }) => (lastUsedAt ? <Moment at={lastUsedAt} show="day" /> : 'never'),
        },
        {
          name: 'Expires',
          cell: ({ key }) => (key.expiresAt ? <Day date={lastDayOf(key.expiresAt)} /> : 'never'),
        },
        ...(isActive ? [left, revoke] : [state]),
      ]}
    />
  );
}

const warnDays = 14;

/** Warns before the key expires. */
function ActiveBadge({ expiresAt, now }: { expiresAt: Date | null; now: Date }) {
  const days = expiresAt ? daysUntil(lastDayOf(expiresAt), now) : Infinity;
  if (days > warnDays) return <span class="badge good">active</span>;
  const when = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`;
  return <span class="badge warn">expires {when}</span>;
}

/** From today on, both in UTC. */
function daysUntil(day: string, now: Date): number {
  return Math.round((Date.parse(day) - Date.parse(now.toISOString().slice(0, 10))) / dayMs);
}

function RenameLink({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  return (
    <a class="rename" href={`/keys/${id}/rename`} aria-label={`Rename ${name}`}>
      <Icon name="pencil" />
    </a>
  );
}

function RevokeLink({ apiKey: { id, name } }: { apiKey: ApiKey }) {
  return (
    <a
      class="button small quiet danger"
      href={`/keys/${id}/revoke`}
      data-dialog
      aria-label={`Revoke ${name}`}
    >
      Revoke
    </a>
  );
}

/** Warns that the creator, who may still know the secret, has left or lost the role that creating one takes. */
export function MakerGone({ email, role }: { email: string | null; role: string }) {
  return (
    <>
      <bdi>{email ?? 'Somebody'}</bdi> created this and is no longer an {role} here.
    </>
  );
}

/** The part of a key that identifies it. The rest is shown only when it is created. */
export function KeyPrefix({ prefix }: { prefix: string }) {
  return <code>qrl_{prefix}_…</code>;
}

export function RenameKeyView({ apiKey: { id, prefix }, form }: { apiKey: ApiKey; form: FormState }) {
  return (
    <NarrowPage title="Rename key" at="/keys" form={form}>
      <p>
        <KeyPrefix prefix={prefix} /> stays the same, and programs that use it keep working.
      </p>
      <Form action={`/keys/${id}/rename`}>
        <Input
          form={form}
          name="name"
          label="Name"
          required
          autocomplete="off"
          maxLength={maxNameLength}
          autofocus
        />
        <div class="row">
          <button type="submit">Save name</button>
          <a class="button quiet" href="/keys">
            Cancel
          </a>
        </div>
      </Form>
    </NarrowPage>
  );
}

export function RevokeKeyView({ apiKey: { id, name, prefix } }: { apiKey: ApiKey }) {
  return (
    <Confirmation title="Revoke key" at="/keys" action={`/keys/${id}/revoke`} button="Revoke" keep="/keys">
      Revoke{' '}
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      (<KeyPrefix prefix={prefix} />
      )? Programs that use it stop working. This cannot be undone.
    </Confirmation>
  );
}
