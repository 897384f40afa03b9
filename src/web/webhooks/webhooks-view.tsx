import type { Endpoint } from '../../webhooks/endpoints.ts';
import { type EventName, eventNames } from '../../webhooks/events.ts';
import { CheckBox, type FormState, Input, TextArea } from '../ui/controls.tsx';
import { CopyableField } from '../ui/copyable.tsx';
import { Icon } from '../ui/icons.tsx';
import { Empty } from '../ui/empty.tsx';
import { Confirmation, Form, Notice, Page } from '../ui/layout.tsx';
import { Table } from '../ui/table.tsx';
import { Moment } from '../ui/time.tsx';
import { MakerGone } from '../keys/keys-view.tsx';

interface WebhooksProps {
  endpoints: Endpoint[];
  quota: number;
  /** Ids of those whose creator has left, or could not create one any more. */
  makersGone: ReadonlySet<string>;
}

export function WebhooksView({ endpoints, quota, makersGone }: WebhooksProps) {
  return (
    <Page
      title="Webhooks"
      at="/webhooks"
      styles={['keys', 'webhooks']}
      heading={
        <div class="heading">
          <h1>Webhooks</h1>
          {endpoints.length > 0 && endpoints.length < quota && (
            <a class="button" href="/webhooks/new">
              <Icon name="plus" />
              New webhook
            </a>
          )}
        </div>
      }
    >
      {endpoints.length === 0 ? (
        <Empty icon="webhook" title="No webhooks yet">
          <p>
            A webhook calls your program when a code is scanned, changed or about to expire, so that the
            program does not have to poll.
          </p>
          {quota > 0 && (
            <a class="button" href="/webhooks/new">
              <Icon name="plus" />
              New webhook
            </a>
          )}
          <p class="after">
            <a href="/docs#events">What is sent</a>
          </p>
        </Empty>
      ) : (
        <section class="card">
          <Table
            class="keys endpoints"
            caption="Your webhooks, newest first"
            rows={endpoints}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Name',
                cell: ({ id, name, createdByEmail }) => (
                  <>
                    <a href={`/webhooks/${id}`}>
                      <bdi>{name}</bdi>
                    </a>
                    {makersGone.has(id) && (
                      <span class="maker-gone">
                        <MakerGone email={createdByEmail} role="owner or editor" />
                      </span>
                    )}
                  </>
                ),
              },
              { name: 'Host', cell: ({ url }) => <bdi>{new URL(url).host}</bdi> },
              { name: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
              {
                name: 'Events',
                cell: ({ events }) => (events.length === eventNames.length ? 'all' : events.join(', ')),
              },
              { name: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} show="day" /> },
            ]}
          />
        </section>
      )}
      {endpoints.length >= quota && <p>Your plan allows {quota} webhooks. Delete one to create another.</p>}
    </Page>
  );
}

export function EndpointState({ endpoint: { isEnabled, failingSince } }: { endpoint: Endpoint }) {
  if (!isEnabled) return <span class="badge bad">disabled</span>;
  return failingSince ? <span class="badge bad">failing</span> : <span class="badge good">active</span>;
}

export const eventTexts: Record<EventName, string> = {
  'code.created': 'A code is created',
  'code.updated': 'A code is changed',
  'code.deleted': 'A code is deleted',
  'code.expiring': 'A code expires in 30, 7 or 1 days',
  'scan.recorded': 'Codes are scanned',
};

/** The name of the check box of an event. */
export const eventField = (event: EventName) => event.replace('.', '-');

/** `id` is that of the endpoint, unless it is new. */
export function EndpointFormView({ form, id }: { form: FormState; id?: string }) {
  const title = id === undefined ? 'New webhook' : 'Edit webhook';
  const back = id === undefined ? '/webhooks' : `/webhooks/${id}`;
  const noEvents = form.errors.find(({ field }) => field === 'events');
  const error = form.errors.length > 0 ? 'The webhook was not saved. Correct the fields below.' : form.error;
  return (
    <Page
      title={title}
      at="/webhooks"
      styles={['webhooks']}
      back={[back, id === undefined ? 'All webhooks' : 'Back to the webhook']}
      form={{ ...form, error }}
    >
      <section class="card form">
        <Form action={id === undefined ? '/webhooks/new' : `/webhooks/${id}/edit`}>
          <Input form={form} name="name" label="Name" required maxLength={100} hint="What it is for." />
          <Input
            form={form}
            name="url"
            label="Address"
            inputMode="url"
            required
            maxLength={2000}
            hint="The URL of your program. It is called with POST and must answer with a 2xx status."
          />
          <fieldset class="events" aria-describedby={noEvents ? 'events-error events-hint' : 'events-hint'}>
            <legend>Call it when</legend>
            {eventNames.map((event) => (
              <CheckBox key={event} form={form} name={eventField(event)} label={eventTexts[event]} />
            ))}
            <p class="hint" id="events-hint">
              Scans are sent at most once a second, up to 100 in a call.
            </p>
            {noEvents && (
              <p class="error" id="events-error">
                {noEvents.message}.
              </p>
            )}
          </fieldset>
          <TextArea
            form={form}
            name="categories"
            label="Only these categories (optional)"
            rows={2}
            hint="One per line. Leave both fields empty for all your codes."
          />
          <TextArea
            form={form}
            name="codes"
            label="Only these codes (optional)"
            rows={2}
            hint="The address of a code’s page, one per line."
          />
          <div class="row">
            <button type="submit">{id === undefined ? 'Create webhook' : 'Save'}</button>
            <a class="button quiet" href={back}>
              Cancel
            </a>
          </div>
        </Form>
      </section>
    </Page>
  );
}

interface SecretProps {
  id: string;
  secret: string;
  isRotated: boolean;
}

/** The only page that shows the secret. */
export function SecretView({ id, secret, isRotated }: SecretProps) {
  return (
    <Page title="Webhooks" at="/webhooks">
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
          <a class="button quiet" href={`/webhooks/${id}`}>
            Continue to the webhook
            <Icon name="arrow-right" />
          </a>
        </p>
      </section>
    </Page>
  );
}

export function DeleteEndpointView({ endpoint: { id, name } }: { endpoint: Endpoint }) {
  return (
    <Confirmation
      title="Delete webhook"
      at="/webhooks"
      action={`/webhooks/${id}/delete`}
      button="Delete"
      keep={`/webhooks/${id}`}
    >
      Delete{' '}
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      and its log? Your program is not called any more. This cannot be undone.
    </Confirmation>
  );
}
