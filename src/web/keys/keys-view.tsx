import { type FormState, Input } from '../ui/controls.tsx';
import { CopyableField, CopyableText } from '../ui/copyable.tsx';
import { Icon } from '../ui/icons.tsx';
import { Empty } from '../ui/empty.tsx';
import { Confirmation, Form, Page } from '../ui/layout.tsx';
import { Table } from '../ui/table.tsx';
import { Moment } from '../ui/time.tsx';
import { useVisitor } from '../ui/visitor.ts';
import { figure } from '../ui/words.tsx';

export interface KeyRow {
  id: string;
  name: string;
  prefix: string;
  createdAt: Date;
  lastUsedAt: Date | undefined;
  isActive: boolean;
  remaining: number;
  limit: number;
}

export function KeysView({ keys, form }: { keys: KeyRow[]; form: FormState }) {
  const { flash } = useVisitor();
  const active = keys.filter(({ isActive }) => isActive);
  const revoked = keys.filter(({ isActive }) => !isActive);
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
              <KeyTable caption="Your keys, newest first" keys={active} isActive />
            ) : (
              <p>No active keys: create one below.</p>
            )}
            {revoked.length > 0 && (
              <details open={flash !== undefined}>
                <summary>
                  {revoked.length} revoked {revoked.length === 1 ? 'key' : 'keys'}
                </summary>
                <KeyTable caption="Revoked keys, newest first" keys={revoked} isActive={false} />
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
    <Form action="/keys" class="row">
      <Input
        form={form}
        name="name"
        label="Name"
        required
        autocomplete="off"
        maxLength={100}
        hint="What the key is for, such as the program that will use it."
      />
      <button type="submit">Create key</button>
    </Form>
  );
}

/** Revoked keys have no quota and no action. */
function KeyTable({ caption, keys, isActive }: { caption: string; keys: KeyRow[]; isActive: boolean }) {
  const left = {
    name: 'Left this hour',
    cell: ({ remaining, limit }: KeyRow) => `${figure(remaining)} of ${figure(limit)}`,
  };
  const revoke = { name: 'Revoke', isAction: true, cell: (row: KeyRow) => <RevokeLink row={row} /> };
  return (
    <Table
      class="keys with-action"
      caption={caption}
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Name',
          cell: ({ name }) => (
            <>
              <bdi>{name}</bdi> {isActive && <span class="badge good">active</span>}
            </>
          ),
        },
        { name: 'Key', cell: ({ prefix }) => <KeyPrefix prefix={prefix} /> },
        { name: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} show="day" /> },
        {
          name: 'Last used',
          cell: ({ lastUsedAt }) => (lastUsedAt ? <Moment at={lastUsedAt} show="day" /> : 'never'),
        },
        ...(isActive ? [left] : []),
        ...(isActive ? [] : [{ name: 'State', cell: () => <span class="badge">revoked</span> }]),
        ...(isActive ? [revoke] : []),
      ]}
    />
  );
}

function RevokeLink({ row: { id, name } }: { row: KeyRow }) {
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

/** The part of a key that identifies it. The rest is shown only when it is created. */
export function KeyPrefix({ prefix }: { prefix: string }) {
  return <code>qrl_{prefix}_…</code>;
}

/** The only page that shows the key. */
export function NewKeyView({ name, apiKey, baseUrl }: { name: string; apiKey: string; baseUrl: string }) {
  const curl = `curl ${baseUrl}/api/v1/qrcodes \\
  -H 'Authorization: Bearer ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "My first code", "type": "url", "content": "https://example.com/"}'`;
  return (
    <Page title="API keys" at="/keys" styles={['keys']}>
      <section class="card">
        <h2>
          Your new key: <bdi>{name}</bdi>
        </h2>
        <div class="notice warn">Copy it now and keep it safe. It is not shown again.</div>
        <CopyableField id="new-key" label="Key" value={apiKey} button="Copy key" />
        <h3>Try it</h3>
        <CopyableText id="try-it" label="Copy the command" text={curl} />
        <p class="after">
          <a class="button quiet" href="/keys">
            <Icon name="arrow-left" />
            Back to all keys
          </a>
        </p>
      </section>
    </Page>
  );
}

export function RevokeKeyView({ row: { id, name, prefix } }: { row: KeyRow }) {
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
