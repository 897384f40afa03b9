import { type Attempt, type Delivery, messageId } from '../../webhooks/deliveries.ts';
import type { Endpoint } from '../../webhooks/endpoints.ts';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Moment } from '../ui/moment.tsx';
import { Notice } from '../ui/notice.tsx';
import { DeliveryState, eventName } from './endpoint-view.tsx';

interface DeliveryProps {
  visitor: Visitor;
  endpoint: Endpoint;
  delivery: Delivery;
  /** Undefined if its scans were deleted. */
  body: string | undefined;
  attempts: Attempt[];
  flash?: string | undefined;
}

export function DeliveryView({ visitor, endpoint, delivery, body, attempts, flash }: DeliveryProps) {
  return (
    <Layout title="Delivery" visitor={visitor} at="/webhooks" styles={['keys']}>
      <a class="back" href={`/webhooks/${endpoint.id}`}>
        {'←\u00a0'}
        <bdi>{endpoint.name}</bdi>
      </a>
      <h1>{eventName(delivery)}</h1>
      {flash && <Notice kind="good">{flash}</Notice>}
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
            <button type="submit">Send again</button>
          </Form>
        )}
      </section>
      <section class="card">
        <h2>Responses</h2>
        {attempts.length === 0 ? <p>It was not sent yet.</p> : <AttemptTable attempts={attempts} />}
      </section>
    </Layout>
  );
}

function AttemptTable({ attempts }: { attempts: Attempt[] }) {
  return (
    <table class="keys">
      <caption class="unseen">Calls, oldest first</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Took</th>
          <th scope="col">Status</th>
          <th scope="col">Response</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map((attempt) => (
          <tr key={attempt.attemptedAt.getTime()}>
            <th scope="row">
              <Moment at={attempt.attemptedAt} />
            </th>
            <td data-label="Took">{attempt.durationMs} ms</td>
            <td data-label="Status">{attempt.statusCode ?? 'none'}</td>
            <td data-label="Response">
              <bdi class="wrap">{(attempt.error ?? attempt.response ?? '').slice(0, 200) || 'empty'}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
