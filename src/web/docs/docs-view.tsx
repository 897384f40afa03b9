import type { ComponentChildren } from 'preact';
import type { Reference, ShownEvent, ShownField, ShownOperation, ShownResponse } from '../api/reference.ts';
import { CopyableText } from '../ui/copyable.tsx';
import { Layout } from '../ui/layout.tsx';

const parameterTitles: Record<string, string> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
};

/** `body` is the rendered `DocsBody`, or a placeholder for it. */
export function DocsView({ body }: { body: string }) {
  return (
    <Layout title="API" at="/docs" styles={['docs']}>
      <div class="docs" dangerouslySetInnerHTML={{ __html: body }} />
    </Layout>
  );
}

/** The same for everybody, so that it is rendered once. */
export function DocsBody({ reference, openApiPath }: { reference: Reference; openApiPath: string }) {
  const { operations } = reference;
  return (
    <>
      <DocsContents operations={operations} />
      <div>
        <Start reference={reference} openApiPath={openApiPath} />
        {operations.map((operation) => (
          <Operation key={operation.id} operation={operation} />
        ))}
        <Events {...reference.events} />
        <section class="card" id="errors" aria-labelledby="errors-title">
          <h2 id="errors-title">Errors</h2>
          <p>Every error response is JSON with these fields:</p>
          <Fields fields={reference.errors[0]?.fields ?? []} caption="Fields of an error" isResponse />
          {reference.errors.map((answer) => (
            <div key={answer.status} id={`error-${answer.status}`}>
              <h3>
                <Status code={answer.status} /> <Words text={answer.description} />
              </h3>
              <Example answer={answer} />
              <HeaderNames names={answer.headers} />
            </div>
          ))}
        </section>
        <section class="card" id="headers" aria-labelledby="headers-title">
          <h2 id="headers-title">Response headers</h2>
          <Fields fields={reference.headers} caption="Headers" isResponse />
        </section>
      </div>
    </>
  );
}

function Start({ reference, openApiPath }: { reference: Reference; openApiPath: string }) {
  return (
    <section class="card" id="start" aria-labelledby="start-title">
      <h1 id="start-title">API reference</h1>
      <p>
        {reference.summary} {reference.description}
      </p>
      <dl class="docs-facts">
        <dt>Base URL</dt>
        <dd>
          <code>{reference.serverUrl}</code>
        </dd>
        <dt>API key</dt>
        <dd>
          <code>Authorization: Bearer {reference.keyFormat}</code>
          <br />
          <Words text={reference.authentication} />
        </dd>
        <dt>OpenAPI</dt>
        <dd>
          <a href={openApiPath}>openapi.json</a> describes the same API, version {reference.version}, for your
          tools (OpenAPI 3.1).
        </dd>
      </dl>
      <p>
        To run the examples on this page, first set your key and, where the path has one, the id of the code,
        webhook endpoint or delivery:
      </p>
      <CopyableText
        id="set-key"
        label="Copy the settings"
        text={`KEY=${reference.keyFormat.replaceAll(/<\w+>/g, '…')}\nID=…`}
      />
    </section>
  );
}

function Operation({ operation }: { operation: ShownOperation }) {
  return (
    <section class="card docs-operation" id={operation.id} aria-labelledby={`${operation.id}-title`}>
      <h2 id={`${operation.id}-title`}>
        <a href={`#${operation.id}`}>{operation.summary}</a>
      </h2>
      <p class="docs-address">
        <Method name={operation.method} /> <code>{operation.path}</code>
      </p>
      <p>
        <Words text={operation.description} />
      </p>
      {operation.parameters.map(
        ({ place, fields }) =>
          fields.length > 0 && (
            <div key={place}>
              <h3>{parameterTitles[place]}</h3>
              <Fields
                fields={fields}
                caption={`${operation.summary}: ${parameterTitles[place]?.toLowerCase()}`}
              />
            </div>
          ),
      )}
      {operation.body.length > 0 && (
        <>
          <h3>Body</h3>
          <Fields fields={operation.body} caption={`${operation.summary}: fields of the body`} />
        </>
      )}
      <h3>Example</h3>
      <CopyableText
        id={`${operation.id}-curl`}
        label={`Copy the command: ${operation.summary}`}
        text={operation.curl}
      />
      <h3>
        Response <Status code={operation.success.status} />
      </h3>
      <p>
        <Words text={operation.success.description} />
      </p>
      <Example answer={operation.success} />
      {operation.success.fields.length > 0 && (
        <details>
          <summary>Response fields</summary>
          <Fields
            fields={operation.success.fields}
            caption={`${operation.summary}: response fields`}
            isResponse
          />
        </details>
      )}
      <HeaderNames names={operation.success.headers} />
      <h3>Errors</h3>
      <ul class="docs-errors">
        {operation.errors.map(({ status, description }) => (
          <li key={status}>
            <a href={`#error-${status}`}>{status}</a> <Words text={description} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Example({ answer: { example, fileType } }: { answer: ShownResponse }) {
  if (example !== undefined) return <pre>{example}</pre>;
  return (
    <p class="quiet">
      {fileType === undefined ? (
        'No body.'
      ) : (
        <>
          The body is a file: <code>{fileType}</code>
        </>
      )}
    </p>
  );
}

function HeaderNames({ names }: { names: string[] }) {
  return (
    <p class="docs-headers">
      <a href="#headers">Headers</a>:{' '}
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <code>{name}</code>
        </span>
      ))}
    </p>
  );
}

function Status({ code }: { code: string }) {
  return <span class={code.startsWith('2') ? 'badge good' : 'badge'}>{code}</span>;
}

/** Closed on phones, where it would fill a screen above the title. */
function DocsContents({ operations }: { operations: ShownOperation[] }) {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return (
    <nav class="docs-nav" aria-label="API reference">
      <details>
        <summary>On this page</summary>
        <ul>
          <li>
            <a href="#start">Start</a>
          </li>
          {tags.map((name) => (
            <li key={name}>
              <span class="docs-tag">{name}</span>
              <ul>
                {operations
                  .filter(({ tag }) => tag === name)
                  .map(({ id, method, summary }) => (
                    <li key={id}>
                      <a href={`#${id}`}>
                        <Method name={method} /> {summary}
                      </a>
                    </li>
                  ))}
              </ul>
            </li>
          ))}
          <li>
            <a href="#events">Webhook events</a>
          </li>
          <li>
            <a href="#errors">Errors</a>
          </li>
          <li>
            <a href="#headers">Headers</a>
          </li>
        </ul>
      </details>
    </nav>
  );
}

const verification = `import { verifyWebhook } from '@qrelay/client';

const secret = process.env.WEBHOOK_SECRET;
const body = await request.text(); // exactly as it arrived
const event = await verifyWebhook(body, request.headers, secret);
if (event.type === 'scan.recorded') console.log(event.data.scans);`;

/** The calls of webhooks, which the service sends. */
function Events({ description, headers, list }: Reference['events']) {
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

interface FieldsProps {
  fields: ShownField[];
  caption: string;
  /** Fields of a response are not marked as required. */
  isResponse?: boolean;
}

function Fields({ fields, caption, isResponse = false }: FieldsProps) {
  return (
    <table class={isResponse ? 'docs-fields' : 'docs-fields sent'}>
      <caption class="unseen">{caption}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Name and type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, type, required, description, notes }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
              <span class="docs-type">
                {type}
                {!isResponse && required && <strong> required</strong>}
              </span>
            </th>
            <td>
              <Words text={description} />
              {notes.length > 0 && <span class="docs-notes">{notes.join(' · ')}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The document marks code with backticks. */
function Words({ text }: { text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : withKeysLink(part)))}
    </>
  );
}

/** The document names the page by its path; here it is a link. */
function withKeysLink(text: string): ComponentChildren {
  const [before, after] = text.split('API Keys page (/keys)');
  if (after === undefined) return text;
  return (
    <>
      {before}
      <a href="/keys">API Keys</a> page
      {after}
    </>
  );
}

function Method({ name }: { name: string }) {
  return <span class={`docs-method ${name.toLowerCase()}`}>{name}</span>;
}
