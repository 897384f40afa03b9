import type { ComponentChildren } from 'preact';
import type { Delivery } from '../../webhooks/deliveries.ts';
import type { DisabledReason } from '../../webhooks/events.ts';
import type { Endpoint } from '../../webhooks/endpoints.ts';
import { type FormState, Input } from '../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Moment } from '../ui/moment.tsx';
import { Notice } from '../ui/notice.tsx';
import { eventTexts } from './endpoint-form-view.tsx';
import { EndpointState } from './webhooks-view.tsx';

const disabledTexts: Record<DisabledReason, string> = {
  owner: 'You disabled this webhook.',
  failing:
    'This webhook was disabled, because every call failed for three days. Enable it when your program works again.',
  gone: 'This webhook was disabled, because your program answered 410 (Gone).',
};

interface EndpointProps {
  visitor: Visitor;
  endpoint: Endpoint;
  deliveries: Delivery[];
  /** The id of the last delivery on this page, if there are older ones. */
  older: string | undefined;
  replay: FormState;
  flash?: string | undefined;
  problem?: string | undefined;
}

export function EndpointView({
  visitor,
  endpoint,
  deliveries,
  older,
  replay,
  flash,
  problem,
}: EndpointProps) {
  const { id, name, url, events, isEnabled, disabledReason, failingSince } = endpoint;
  return (
    <Layout title={name} visitor={visitor} at="/webhooks" styles={['keys']}>
      <a class="back" href="/webhooks">
        ← All webhooks
      </a>
      <h1>
        <bdi>{name}</bdi>
      </h1>
      {flash && <Notice kind="good">{flash}</Notice>}
      {problem && <Notice kind="bad">{problem}</Notice>}
      {disabledReason && <Notice kind="bad">{disabledTexts[disabledReason]}</Notice>}
      {isEnabled && failingSince && (
        <Notice kind="bad">
          Calls have failed since <Moment at={failingSince} />. They are repeated for three days; then the
          webhook is disabled.
        </Notice>
      )}
      <section class="card">
        <h2>
          Settings <EndpointState endpoint={endpoint} />
        </h2>
        <p>
          <code class="wrap">{url}</code>
        </p>
        <ul>
          {events.map((event) => (
            <li key={event}>{eventTexts[event]}</li>
          ))}
        </ul>
        <Selection endpoint={endpoint} />
        <div class="row">
          <a class="button quiet" href={`/webhooks/${id}/edit`}>
            Edit
          </a>
          {isEnabled && <Action path={`/webhooks/${id}/test`} name="Send a test" />}
          <Action path={`/webhooks/${id}/state`} name={isEnabled ? 'Disable' : 'Enable'}>
            <input type="hidden" name="isEnabled" value={String(!isEnabled)} />
          </Action>
          <Action path={`/webhooks/${id}/rotate`} name="New secret" />
          <a class="button quiet danger" href={`/webhooks/${id}/delete`}>
            Delete
          </a>
        </div>
      </section>
      <section class="card">
        <h2>Log of the last 30 days</h2>
        {deliveries.length === 0 ? <p>Nothing was sent yet.</p> : <DeliveryTable deliveries={deliveries} />}
        {older && (
          <p class="after">
            <a href={`/webhooks/${id}?before=${older}`}>Older</a>
          </p>
        )}
      </section>
      {isEnabled && (
        <section class="card">
          <h2>Send a period again</h2>
          <Form action={`/webhooks/${id}/replay`}>
            <div class="columns">
              <Input form={replay} name="firstDay" label="First day (UTC)" type="date" required />
              <Input form={replay} name="lastDay" label="Last day (UTC)" type="date" required />
            </div>
            <button type="submit">Send again</button>
          </Form>
        </section>
      )}
    </Layout>
  );
}

function Selection({ endpoint: { codeIds, categories } }: { endpoint: Endpoint }) {
  if (!codeIds && !categories) return <p>For all your codes.</p>;
  const parts = [
    categories && `codes in ${categories.join(', ')}`,
    codeIds && `${codeIds.length} chosen ${codeIds.length === 1 ? 'code' : 'codes'}`,
  ].filter(Boolean);
  return (
    <p>
      Only for <bdi>{parts.join(' and ')}</bdi>.
    </p>
  );
}

function Action({ path, name, children }: { path: string; name: string; children?: ComponentChildren }) {
  return (
    <Form action={path}>
      {children}
      <button type="submit" class="quiet">
        {name}
      </button>
    </Form>
  );
}

function DeliveryTable({ deliveries }: { deliveries: Delivery[] }) {
  return (
    <table class="keys">
      <caption class="unseen">Deliveries, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">Time</th>
          <th scope="col">Calls</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <th scope="row">
              <a href={`/webhooks/deliveries/${delivery.id}`}>{eventName(delivery)}</a>
            </th>
            <td data-label="Time">
              <Moment at={delivery.happenedAt} />
            </td>
            <td data-label="Calls">{delivery.attempts}</td>
            <td data-label="State">
              <DeliveryState delivery={delivery} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function eventName({ event, scanIds }: Delivery): string {
  if (!scanIds) return event;
  return `${event} (${scanIds.length} ${scanIds.length === 1 ? 'scan' : 'scans'})`;
}

export function DeliveryState({ delivery: { status } }: { delivery: Delivery }) {
  const kinds = { delivered: ' good', failed: ' bad', pending: '', canceled: '' };
  return <span class={`badge${kinds[status]}`}>{status}</span>;
}
