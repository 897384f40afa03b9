import { type Attempt, type Delivery, messageId } from '../../webhooks/deliveries.ts';
import type { Endpoint } from '../../webhooks/endpoints.ts';
import type { DisabledReason } from '../../webhooks/events.ts';
import { type FormState, Input } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Empty } from '../ui/empty.tsx';
import { Form, Notice, Page } from '../ui/layout.tsx';
import { DayPresets, pastPresets } from '../ui/day-presets.tsx';
import { Table } from '../ui/table.tsx';
import { Moment } from '../ui/time.tsx';
import { MakerGone } from '../keys/keys-view.tsx';
import { EndpointState, eventTexts } from './webhooks-view.tsx';

const disabledTexts: Record<DisabledReason, string> = {
  owner: 'You disabled this webhook.',
  failing:
    'This webhook was disabled, because every call failed for three days. Enable it when your program works again.',
  gone: 'This webhook was disabled, because your program answered 410 (Gone).',
};

interface EndpointProps {
  endpoint: Endpoint;
  isMakerGone: boolean;
  deliveries: Delivery[];
  /** By the id of the delivery. */
  lastAttempts: Map<string, Attempt>;
  /** The id of the last delivery on this page, if there are older ones. */
  older: string | undefined;
  replay: FormState;
}

export function EndpointView({
  endpoint,
  isMakerGone,
  deliveries,
  lastAttempts,
  older,
  replay,
}: EndpointProps) {
  const { id, name, url, events, isEnabled, disabledReason, failingSince } = endpoint;
  return (
    <Page
      title={name}
      at="/webhooks"
      styles={['keys', 'webhooks']}
      back={['/webhooks', 'All webhooks']}
      heading={
        <div class="heading endpoint">
          <h1>
            <bdi>{name}</bdi>
          </h1>
          <EndpointState endpoint={endpoint} />
          <Actions endpoint={endpoint} />
        </div>
      }
      form={replay}
    >
      {isEnabled && isMakerGone && (
        <Notice kind="bad">
          <p>
            <MakerGone email={endpoint.createdByEmail} role="owner or editor" /> Check that the address is
            yours, and create a new secret.
          </p>
          <Form action={`/webhooks/${id}/rotate`}>
            <button type="submit" class="quiet small">
              New secret
            </button>
          </Form>
        </Notice>
      )}
      {disabledReason && <Notice kind="bad">{disabledTexts[disabledReason]}</Notice>}
      {isEnabled && failingSince && (
        <Notice kind="bad">
          Calls have failed since <Moment at={failingSince} />. They are repeated for three days; then the
          webhook is disabled.
        </Notice>
      )}
      <section class="card">
        <h2 class="unseen">Settings</h2>
        <dl class="settings">
          <div>
            <dt>Address</dt>
            <dd>
              <code class="wrap">{url}</code>
            </dd>
          </div>
          <div>
            <dt>Called when</dt>
            <dd class="event-list">
              {events.map((event) => (
                <span key={event} class="badge">
                  {eventTexts[event]}
                </span>
              ))}
            </dd>
          </div>
          <div>
            <dt>Codes</dt>
            <dd>
              <Selection endpoint={endpoint} />
            </dd>
          </div>
          <MadeBy title="Created by" email={endpoint.createdByEmail} />
          <MadeBy title="Last changed by" email={endpoint.changedByEmail} />
        </dl>
      </section>
      {deliveries.length === 0 ? (
        <Empty icon="webhook" title="Nothing sent yet">
          <p>Calls of the last 30 days are logged here, with what your program answered.</p>
        </Empty>
      ) : (
        <section class="card">
          <h2>Calls of the last 30 days</h2>
          <DeliveryTable deliveries={deliveries} lastAttempts={lastAttempts} />
          {older && (
            <p class="after">
              <a class="button quiet small" href={`/webhooks/${id}?before=${older}`}>
                Older
              </a>
            </p>
          )}
        </section>
      )}
      {isEnabled && (
        <details class="reveal" open={replay.error !== undefined}>
          <summary>Resend past events…</summary>
          <section class="card form">
            <h2>Resend events</h2>
            <Form action={`/webhooks/${id}/replay`}>
              <div class="columns days">
                <Input form={replay} name="firstDay" label="First day (UTC)" type="date" required />
                <Input form={replay} name="lastDay" label="Last day (UTC)" type="date" required />
              </div>
              <DayPresets label="Period" names={['firstDay', 'lastDay']} presets={pastPresets} />
              <button type="submit" class="quiet">
                Resend
              </button>
            </Form>
          </section>
        </details>
      )}
    </Page>
  );
}

function MadeBy({ title, email }: { title: string; email: string | null }) {
  return (
    email !== null && (
      <div>
        <dt>{title}</dt>
        <dd>
          <bdi>{email}</bdi>
        </dd>
      </div>
    )
  );
}

/** What people do most is a button; the rest is in a menu. */
function Actions({ endpoint: { id, isEnabled } }: { endpoint: Endpoint }) {
  return (
    <div class="row">
      {isEnabled ? (
        <Form action={`/webhooks/${id}/test`}>
          <button type="submit">Send a test</button>
        </Form>
      ) : (
        <StateForm id={id} isEnabled={isEnabled} />
      )}
      <a class="button quiet" href={`/webhooks/${id}/edit`}>
        <Icon name="pencil" />
        Edit
      </a>
      <details class="menu">
        <summary class="quiet" aria-label="More actions">
          <Icon name="ellipsis" />
        </summary>
        <div>
          {isEnabled && <StateForm id={id} isEnabled={isEnabled} look="link" />}
          <Form action={`/webhooks/${id}/rotate`}>
            <button type="submit" class="link">
              <Icon name="key-round" />
              New secret
            </button>
          </Form>
          <a class="danger" href={`/webhooks/${id}/delete`} data-dialog>
            <Icon name="trash-2" />
            Delete
          </a>
        </div>
      </details>
    </div>
  );
}

function StateForm({ id, isEnabled, look }: { id: string; isEnabled: boolean; look?: 'link' }) {
  return (
    <Form action={`/webhooks/${id}/state`}>
      <input type="hidden" name="isEnabled" value={String(!isEnabled)} />
      <button type="submit" class={look}>
        {look && <Icon name="eye-off" />}
        {isEnabled ? 'Disable' : 'Enable'}
      </button>
    </Form>
  );
}

function Selection({ endpoint: { codeIds, categories } }: { endpoint: Endpoint }) {
  if (!codeIds && !categories) return <>All your codes</>;
  const parts = [
    categories && `codes in ${categories.join(', ')}`,
    codeIds && `${codeIds.length} chosen ${codeIds.length === 1 ? 'code' : 'codes'}`,
  ].filter(Boolean);
  return (
    <>
      Only <bdi>{parts.join(' and ')}</bdi>
    </>
  );
}

function DeliveryTable({ deliveries, lastAttempts }: Pick<EndpointProps, 'deliveries' | 'lastAttempts'>) {
  return (
    <Table
      class="keys deliveries"
      caption="Deliveries, newest first"
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Event',
          cell: (delivery) => <a href={`/webhooks/deliveries/${delivery.id}`}>{eventName(delivery)}</a>,
        },
        { name: 'State', cell: (delivery) => <DeliveryState delivery={delivery} /> },
        { name: 'Answer', cell: ({ id }) => answerOf(lastAttempts.get(id)) },
        { name: 'Calls', cell: ({ attempts }) => attempts },
        { name: 'Time', cell: ({ happenedAt }) => <Moment at={happenedAt} /> },
      ]}
    />
  );
}

/** "200 in 120 ms" */
function answerOf(attempt: Attempt | undefined): string {
  if (!attempt) return '–';
  return attempt.statusCode === null ? 'none' : `${attempt.statusCode} in ${attempt.durationMs} ms`;
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
      styles={['keys', 'webhooks']}
      back={[`/webhooks/${endpoint.id}`, <bdi key="name">{endpoint.name}</bdi>]}
      heading={
        <div class="heading endpoint">
          <h1>{eventName(delivery)}</h1>
          <DeliveryState delivery={delivery} />
          {endpoint.isEnabled && (
            <Form action={`/webhooks/deliveries/${delivery.id}/retry`}>
              <button type="submit">Resend</button>
            </Form>
          )}
        </div>
      }
    >
      <section class="card">
        <h2>Responses</h2>
        {attempts.length === 0 ? <p>It has not been sent yet.</p> : <AttemptTable attempts={attempts} />}
      </section>
      <section class="card">
        <h2>Request</h2>
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
      </section>
    </Page>
  );
}

function AnswerBadge({ statusCode }: Attempt) {
  const isGood = statusCode !== null && statusCode >= 200 && statusCode < 300;
  return <span class={isGood ? 'badge good' : 'badge bad'}>{statusCode ?? 'none'}</span>;
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
        { name: 'Status', cell: (attempt) => <AnswerBadge {...attempt} /> },
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
