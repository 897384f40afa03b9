import type { ComponentChildren } from 'preact';
import { type Attempt, type Delivery, messageId } from '../../webhooks/deliveries.ts';
import type { Endpoint } from '../../webhooks/endpoints.ts';
import type { DisabledReason } from '../../webhooks/events.ts';
import { type FormState, Input } from '../ui/controls.tsx';
import { Form, Notice, Page } from '../ui/layout.tsx';
import { Table } from '../ui/table.tsx';
import { Moment } from '../ui/time.tsx';
import { EndpointState, eventTexts } from './webhooks-view.tsx';

const disabledTexts: Record<DisabledReason, string> = {
  owner: 'You disabled this webhook.',
  failing:
    'This webhook was disabled, because every call failed for three days. Enable it when your program works again.',
  gone: 'This webhook was disabled, because your program answered 410 (Gone).',
};

interface EndpointProps {
  endpoint: Endpoint;
  deliveries: Delivery[];
  /** The id of the last delivery on this page, if there are older ones. */
  older: string | undefined;
  replay: FormState;
}

export function EndpointView({ endpoint, deliveries, older, replay }: EndpointProps) {
  const { id, name, url, events, isEnabled, disabledReason, failingSince } = endpoint;
  return (
    <Page
      title={name}
      at="/webhooks"
      styles={['keys']}
      back={['/webhooks', '← All webhooks']}
      heading={
        <h1>
          <bdi>{name}</bdi>
        </h1>
      }
      form={replay}
    >
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
        {deliveries.length === 0 ? (
          <p>Nothing has been sent yet.</p>
        ) : (
          <DeliveryTable deliveries={deliveries} />
        )}
        {older && (
          <p class="after">
            <a href={`/webhooks/${id}?before=${older}`}>Older</a>
          </p>
        )}
      </section>
      {isEnabled && (
        <section class="card">
          <h2>Resend events</h2>
          <Form action={`/webhooks/${id}/replay`}>
            <div class="columns">
              <Input form={replay} name="firstDay" label="First day (UTC)" type="date" required />
              <Input form={replay} name="lastDay" label="Last day (UTC)" type="date" required />
            </div>
            <button type="submit">Resend</button>
          </Form>
        </section>
      )}
    </Page>
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
    <Table
      class="keys"
      caption="Deliveries, newest first"
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Event',
          cell: (delivery) => <a href={`/webhooks/deliveries/${delivery.id}`}>{eventName(delivery)}</a>,
        },
        { name: 'Time', cell: ({ happenedAt }) => <Moment at={happenedAt} /> },
        { name: 'Calls', cell: ({ attempts }) => attempts },
        { name: 'State', cell: (delivery) => <DeliveryState delivery={delivery} /> },
      ]}
    />
  );
}

function eventName({ event, scanIds }: Delivery): string {
  if (!scanIds) return event;
  return `${event} (${scanIds.length} ${scanIds.length === 1 ? 'scan' : 'scans'})`;
}

function DeliveryState({ delivery: { status } }: { delivery: Delivery }) {
  const kinds = { delivered: ' good', failed: ' bad', pending: '', canceled: '' };
  return <span class={`badge${kinds[status]}`}>{status}</span>;
}

interface DeliveryProps {
  endpoint: Endpoint;
  delivery: Delivery;
  /** Undefined if its scans were deleted. */
  body: string | undefined;
  attempts: Attempt[];
}

export function DeliveryView({ endpoint, delivery, body, attempts }: DeliveryProps) {
  return (
    <Page
      title="Delivery"
      at="/webhooks"
      styles={['keys']}
      back={[
        `/webhooks/${endpoint.id}`,
        <>
          {'←\u00a0'}
          <bdi>{endpoint.name}</bdi>
        </>,
      ]}
      heading={<h1>{eventName(delivery)}</h1>}
    >
      <section class="card">
        <h2>
          Request <DeliveryState delivery={delivery} />
        </h2>
        <p>
          <code class="wrap">webhook-id: {messageId(delivery)}</code>
        </p>
        {body === undefined ? (
          <p>Its scans were deleted.</p>
        ) : (
          // Focusable, so that it can be scrolled with the keyboard.
          <pre tabIndex={0} role="region" aria-label="Body of the request">
            {JSON.stringify(JSON.parse(body), null, 2)}
          </pre>
        )}
        {endpoint.isEnabled && (
          <Form action={`/webhooks/deliveries/${delivery.id}/retry`}>
            <button type="submit">Resend</button>
          </Form>
        )}
      </section>
      <section class="card">
        <h2>Responses</h2>
        {attempts.length === 0 ? <p>It has not been sent yet.</p> : <AttemptTable attempts={attempts} />}
      </section>
    </Page>
  );
}

function AttemptTable({ attempts }: { attempts: Attempt[] }) {
  return (
    <Table
      class="keys"
      caption="Calls, oldest first"
      rows={attempts}
      keyOf={({ attemptedAt }) => String(attemptedAt.getTime())}
      columns={[
        { name: 'Time', cell: ({ attemptedAt }) => <Moment at={attemptedAt} /> },
        { name: 'Took', cell: ({ durationMs }) => `${durationMs} ms` },
        { name: 'Status', cell: ({ statusCode }) => statusCode ?? 'none' },
        {
          name: 'Response',
          cell: ({ error, response }) => (
            <bdi class="wrap">{(error ?? response ?? '').slice(0, 200) || 'empty'}</bdi>
          ),
        },
      ]}
    />
  );
}
