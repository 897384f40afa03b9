import type { Endpoint } from '../../webhooks/endpoints.ts';
import { CopyableField } from '../ui/copyable.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Moment } from '../ui/moment.tsx';
import { Notice } from '../ui/notice.tsx';

interface WebhooksProps {
  visitor: Visitor;
  endpoints: Endpoint[];
  quota: number;
  flash?: string | undefined;
}

export function WebhooksView({ visitor, endpoints, quota, flash }: WebhooksProps) {
  return (
    <Layout title="Webhooks" visitor={visitor} at="/webhooks" styles={['keys']}>
      <div class="heading">
        <h1>Webhooks</h1>
        {endpoints.length < quota && (
          <a class="button" href="/webhooks/new">
            New webhook
          </a>
        )}
      </div>
      {flash && <Notice kind="good">{flash}</Notice>}
      <section class="card">
        {endpoints.length === 0 ? (
          <>
            <h2>No webhooks yet</h2>
            <p>
              A webhook calls your program when a code is scanned, changed or about to end, so that the
              program does not have to poll. <a href="/docs#events">What is sent</a>
            </p>
          </>
        ) : (
          <EndpointTable endpoints={endpoints} />
        )}
        {endpoints.length >= quota && <p>Your plan allows {quota} webhooks. Delete one to create another.</p>}
      </section>
    </Layout>
  );
}

function EndpointTable({ endpoints }: { endpoints: Endpoint[] }) {
  return (
    <table class="keys">
      <caption class="unseen">Your webhooks, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Host</th>
          <th scope="col">Created</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <tr key={endpoint.id}>
            <th scope="row">
              <a href={`/webhooks/${endpoint.id}`}>
                <bdi>{endpoint.name}</bdi>
              </a>
            </th>
            <td data-label="Host">
              <bdi>{new URL(endpoint.url).host}</bdi>
            </td>
            <td data-label="Created">
              <Moment at={endpoint.createdAt} />
            </td>
            <td data-label="State">
              <EndpointState endpoint={endpoint} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function EndpointState({ endpoint: { isEnabled, failingSince } }: { endpoint: Endpoint }) {
  if (!isEnabled) return <span class="badge bad">disabled</span>;
  return failingSince ? <span class="badge bad">failing</span> : <span class="badge good">active</span>;
}

interface SecretProps {
  visitor: Visitor;
  id: string;
  secret: string;
  isRotated: boolean;
}

/** The only page that shows the secret. */
export function SecretView({ visitor, id, secret, isRotated }: SecretProps) {
  return (
    <Layout title="Webhooks" visitor={visitor} at="/webhooks">
      <h1>Webhooks</h1>
      <section class="card">
        <h2>{isRotated ? 'The new secret' : 'Your webhook was created'}</h2>
        <Notice kind="good">Copy the secret now and keep it safe. It is not shown again.</Notice>
        <CopyableField id="secret" label="Secret" value={secret} button="Copy secret" />
        <p class="after">
          Your program verifies each call with it: <a href="/docs#events">how to do that</a>, and libraries of{' '}
          <a href="https://www.standardwebhooks.com" rel="noreferrer">
            Standard Webhooks
          </a>{' '}
          for many languages.{' '}
          {isRotated && 'For 24 hours, calls are signed with the previous secret as well.'}
        </p>
        <p class="after">
          <a href={`/webhooks/${id}`}>Continue to the webhook</a>
        </p>
      </section>
    </Layout>
  );
}

export function DeleteEndpointView({ visitor, endpoint }: { visitor: Visitor; endpoint: Endpoint }) {
  return (
    <Layout title="Delete webhook" visitor={visitor} at="/webhooks">
      <section class="card narrow danger">
        <h1>Delete webhook</h1>
        <p>
          Delete{' '}
          <strong>
            <bdi>{endpoint.name}</bdi>
          </strong>{' '}
          and its log? Your program is not called any more. This cannot be undone.
        </p>
        <Form action={`/webhooks/${endpoint.id}/delete`} class="row">
          <button type="submit" class="danger">
            Delete
          </button>
          <a class="button quiet" href={`/webhooks/${endpoint.id}`}>
            Keep it
          </a>
        </Form>
      </section>
    </Layout>
  );
}
