import type { Reference, ShownEvent } from '../api/reference.ts';
import { CopyableText } from '../ui/copyable.tsx';
import { Fields, Words } from './docs-parts.tsx';

const verification = `import { verifyWebhook } from '@qrelay/client';

const secret = process.env.WEBHOOK_SECRET;
const body = await request.text(); // exactly as it arrived
const event = await verifyWebhook(body, request.headers, secret);
if (event.type === 'scan.recorded') console.log(event.data.scans);`;

/** The calls of webhooks, which the service sends. */
export function Events({ description, headers, list }: Reference['events']) {
  return (
    <section class="card" id="events" aria-labelledby="events-title">
      <h2 id="events-title">Webhook events</h2>
      <p>
        A webhook endpoint is called with POST when one of these events happens. <Words text={description} />
      </p>
      <h3>Headers of a call</h3>
      <Fields fields={headers} caption="Headers of a call" isResponse />
      <h3>Verify a call</h3>
      <p>In TypeScript and JavaScript. It throws unless the call comes from this service.</p>
      <CopyableText id="verify-call" label="Copy the example" text={verification} />
      {list.map((event) => (
        <Event key={event.name} event={event} />
      ))}
    </section>
  );
}

function Event({ event: { name, summary, fields, example } }: { event: ShownEvent }) {
  return (
    <div id={`event-${name}`}>
      <h3>
        <code>{name}</code>
      </h3>
      <p>
        <Words text={summary} />
      </p>
      <pre>{example}</pre>
      <details>
        <summary>Fields of {name}</summary>
        <Fields fields={fields} caption={`Fields of ${name}`} isResponse />
      </details>
    </div>
  );
}
