import type { FieldError } from '../../errors.ts';
import { Input } from '../ui/controls.tsx';
import { CopyableField, CopyableText } from '../ui/copyable.tsx';
import { figure } from '../ui/figure.ts';
import { KeyPrefix } from '../ui/key-prefix.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Moment } from '../ui/moment.tsx';
import { Notice } from '../ui/notice.tsx';

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

interface KeysProps {
  visitor: Visitor;
  keys: KeyRow[];
  flash?: string | undefined;
  /** The input, where no key was created. */
  name?: string | undefined;
  errors?: FieldError[] | undefined;
  /** An error of the whole form. */
  problem?: string | undefined;
}

export function KeysView({ visitor, keys, flash, name = '', errors = [], problem }: KeysProps) {
  const active = keys.filter(({ isActive }) => isActive);
  const revoked = keys.filter(({ isActive }) => !isActive);
  return (
    <Layout title="API Keys" visitor={visitor} at="/keys" styles={['keys']}>
      <h1>API Keys</h1>
      {flash && <Notice kind="good">{flash}</Notice>}
      {problem && <Notice kind="bad">{problem}</Notice>}
      <section class="card">
        <h2>New key</h2>
        <Form action="/keys" class="row">
          <Input
            form={{ values: { name }, errors }}
            name="name"
            label="Name"
            required
            autocomplete="off"
            maxLength={100}
            hint="What the key is for, such as the program that will use it."
          />
          <button type="submit">Create key</button>
        </Form>
      </section>
      {keys.length === 0 ? (
        <section class="card">
          <h2>No keys yet</h2>
          <p>
            A key lets a program create codes and read scans for you. Create one above. It is shown once, so
            keep it safe.
          </p>
        </section>
      ) : (
        <section class="card">
          {active.length > 0 ? (
            <KeyTable caption="Your keys, newest first" keys={active} isActive />
          ) : (
            <p>No active keys: create one above.</p>
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
      )}
    </Layout>
  );
}

interface KeyTableProps {
  caption: string;
  keys: KeyRow[];
  /** Revoked keys have no quota and no action. */
  isActive: boolean;
}

function KeyTable({ caption, keys, isActive }: KeyTableProps) {
  return (
    <table class="keys">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Key</th>
          <th scope="col">Created</th>
          <th scope="col">Last used</th>
          {isActive && <th scope="col">Left this hour</th>}
          <th scope="col">State</th>
          {isActive && (
            <th scope="col">
              <span class="unseen">Revoke</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyLine key={key.id} row={key} />
        ))}
      </tbody>
    </table>
  );
}

function KeyLine({ row: key }: { row: KeyRow }) {
  return (
    <tr>
      <th scope="row">
        <bdi>{key.name}</bdi>
      </th>
      <td data-label="Key">
        <KeyPrefix prefix={key.prefix} />
      </td>
      <td data-label="Created">
        <Moment at={key.createdAt} />
      </td>
      <td data-label="Last used">{key.lastUsedAt ? <Moment at={key.lastUsedAt} /> : 'never'}</td>
      {key.isActive && (
        <td data-label="Left this hour">
          {figure(key.remaining)} of {figure(key.limit)}
        </td>
      )}
      <td data-label="State">
        <span class={key.isActive ? 'badge good' : 'badge'}>{key.isActive ? 'active' : 'revoked'}</span>
      </td>
      {key.isActive && (
        <td>
          <a
            class="button small quiet danger"
            href={`/keys/${key.id}/revoke`}
            aria-label={`Revoke ${key.name}`}
          >
            Revoke
          </a>
        </td>
      )}
    </tr>
  );
}

interface NewKeyProps {
  visitor: Visitor;
  name: string;
  apiKey: string;
  baseUrl: string;
}

/** The only page that shows the key. */
export function NewKeyView({ visitor, name, apiKey, baseUrl }: NewKeyProps) {
  const curl = `curl ${baseUrl}/api/v1/qrcodes \\
  -H 'Authorization: Bearer ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "My first code", "type": "url", "content": "https://example.com/"}'`;
  return (
    <Layout title="API Keys" visitor={visitor} at="/keys" styles={['keys']}>
      <h1>API Keys</h1>
      <section class="card">
        <h2>
          Your new key: <bdi>{name}</bdi>
        </h2>
        <Notice kind="good">Copy it now and keep it safe. It is not shown again.</Notice>
        <CopyableField id="new-key" label="Key" value={apiKey} button="Copy key" />
        <h3>Try it</h3>
        <CopyableText id="try-it" label="Copy the command" text={curl} />
        <p class="after">
          <a href="/keys">Back to all keys</a>
        </p>
      </section>
    </Layout>
  );
}

export function RevokeKeyView({ visitor, row: key }: { visitor: Visitor; row: KeyRow }) {
  return (
    <Layout title="Revoke key" visitor={visitor} at="/keys">
      <section class="card narrow danger">
        <h1>Revoke key</h1>
        <p>
          Revoke{' '}
          <strong>
            <bdi>{key.name}</bdi>
          </strong>{' '}
          (<KeyPrefix prefix={key.prefix} />
          )? Programs that use it stop working. This cannot be undone.
        </p>
        <Form action={`/keys/${key.id}/revoke`} class="row">
          <button type="submit" class="danger">
            Revoke
          </button>
          <a class="button quiet" href="/keys">
            Keep it
          </a>
        </Form>
      </section>
    </Layout>
  );
}
