import { type EventName, eventNames } from '../../webhooks/events.ts';
import { CheckBox, type FormState, Input, TextArea } from '../ui/controls.tsx';
import { Form, Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';
import { eventField } from './endpoint-form.ts';

export const eventTexts: Record<EventName, string> = {
  'code.created': 'A code is created',
  'code.updated': 'A code is changed',
  'code.deleted': 'A code is deleted',
  'code.expiring': 'A code ends in 30, 7 or 1 days',
  'scan.recorded': 'Codes are scanned',
};

interface FormViewProps {
  visitor: Visitor;
  form: FormState;
  /** Undefined for a new endpoint. */
  id?: string | undefined;
  problem?: string | undefined;
}

export function EndpointFormView({ visitor, form, id, problem }: FormViewProps) {
  const title = id === undefined ? 'New webhook' : 'Edit webhook';
  const back = id === undefined ? '/webhooks' : `/webhooks/${id}`;
  const noEvents = form.errors.find(({ field }) => field === 'events');
  return (
    <Layout title={title} visitor={visitor} at="/webhooks" styles={['webhooks']}>
      <a class="back" href={back}>
        {id === undefined ? '← All webhooks' : '← Back to the webhook'}
      </a>
      <h1>{title}</h1>
      {problem && <Notice kind="bad">{problem}</Notice>}
      {form.errors.length > 0 && (
        <Notice kind="bad" isFocused>
          The webhook was not saved. Correct the fields below.
        </Notice>
      )}
      <section class="card">
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
    </Layout>
  );
}
