import type { ComponentChildren } from 'preact';
import type { Reference, ShownResponse, ShownField, ShownOperation } from '../api/reference.ts';
import { CopyButton, CopyStatus } from '../ui/copy-button.tsx';
import { Layout, type Visitor } from '../ui/layout.tsx';

interface DocsProps {
  visitor: Visitor;
  /** What `DocsBody` renders to. */
  body: string;
}

export function DocsView({ visitor, body }: DocsProps) {
  return (
    <Layout title="API" visitor={visitor} at="/docs">
      <div class="docs" dangerouslySetInnerHTML={{ __html: body }} />
    </Layout>
  );
}

/** The same for everybody. */
export function DocsBody({ reference, openApiPath }: { reference: Reference; openApiPath: string }) {
  const { operations } = reference;
  return (
    <>
      <Contents of={operations} />
      <div class="docs-body">
        <Start of={reference} openApiPath={openApiPath} />
        {operations.map((operation) => (
          <Operation key={operation.id} of={operation} />
        ))}
        <section class="card" id="errors" aria-labelledby="errors-title">
          <h2 id="errors-title">Errors</h2>
          <p>Every error response is JSON with these fields:</p>
          <Fields of={reference.errors[0]?.fields ?? []} caption="Fields of an error" inAnswer />
          {reference.errors.map((answer) => (
            <div key={answer.status} id={`error-${answer.status}`}>
              <h3>
                <Status of={answer.status} /> <Words of={answer.description} />
              </h3>
              <Example of={answer} />
              <HeaderNames of={answer.headers} />
            </div>
          ))}
        </section>
        <section class="card" id="headers" aria-labelledby="headers-title">
          <h2 id="headers-title">Response headers</h2>
          <Fields of={reference.headers} caption="Headers" inAnswer />
        </section>
      </div>
    </>
  );
}

/** Folded on phones, where it would be a screen of links before the title. */
function Contents({ of }: { of: ShownOperation[] }) {
  return (
    <nav class="docs-nav" aria-label="API reference">
      <details>
        <summary>On this page</summary>
        <ul>
          <li>
            <a href="#start">Start</a>
          </li>
          {of.map(({ id, method, summary }) => (
            <li key={id}>
              <a href={`#${id}`}>
                <Method of={method} /> {summary}
              </a>
            </li>
          ))}
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

function Start({ of, openApiPath }: { of: Reference; openApiPath: string }) {
  return (
    <section class="card" id="start" aria-labelledby="start-title">
      <h1 id="start-title">API reference</h1>
      <p>
        {of.summary} {of.description}
      </p>
      <dl class="docs-facts">
        <dt>Base URL</dt>
        <dd>
          <code>{of.serverUrl}</code>
        </dd>
        <dt>API key</dt>
        <dd>
          <code>Authorization: Bearer {of.keyFormat}</code>
          <br />
          <Words of={of.authentication} />
        </dd>
        <dt>OpenAPI</dt>
        <dd>
          <a href={openApiPath}>openapi.json</a> describes the same API, version {of.version}, for your tools
          (OpenAPI 3.1).
        </dd>
      </dl>
      <p>
        To run the examples on this page, first set your key and, where the path has one, the id of a code:
      </p>
      <div class="copyable">
        <pre id="set-key">{`KEY=${of.keyFormat.replaceAll(/<\w+>/g, '…')}\nID=…`}</pre>
        <CopyButton of="set-key" name="Copy" label="Copy the settings" quiet />
      </div>
      <CopyStatus />
    </section>
  );
}

function Operation({ of }: { of: ShownOperation }) {
  return (
    <section class="card docs-operation" id={of.id} aria-labelledby={`${of.id}-title`}>
      <h2 id={`${of.id}-title`}>
        <a href={`#${of.id}`}>{of.summary}</a>
      </h2>
      <p class="docs-address">
        <Method of={of.method} /> <code>{of.path}</code>
      </p>
      <p>
        <Words of={of.description} />
      </p>
      {of.parameters.map(
        ({ place, fields }) =>
          fields.length > 0 && (
            <div key={place}>
              <h3>{place === 'path' ? 'Path parameters' : 'Query parameters'}</h3>
              <Fields of={fields} caption={`${of.summary}: ${place} parameters`} />
            </div>
          ),
      )}
      {of.body.length > 0 && (
        <>
          <h3>Body</h3>
          <Fields of={of.body} caption={`${of.summary}: fields of the body`} />
        </>
      )}
      <h3>Example</h3>
      <div class="copyable">
        <pre class="docs-curl" id={`${of.id}-curl`}>
          {of.curl}
        </pre>
        <CopyButton of={`${of.id}-curl`} name="Copy" label={`Copy the command: ${of.summary}`} quiet />
      </div>
      <h3>
        Response <Status of={of.success.status} />
      </h3>
      <p>
        <Words of={of.success.description} />
      </p>
      <Example of={of.success} />
      {of.success.fields.length > 0 && (
        <details>
          <summary>Response fields</summary>
          <Fields of={of.success.fields} caption={`${of.summary}: response fields`} inAnswer />
        </details>
      )}
      <HeaderNames of={of.success.headers} />
      <h3>Errors</h3>
      <ul class="docs-errors">
        {of.errors.map(({ status, description }) => (
          <li key={status}>
            <a href={`#error-${status}`}>{status}</a> <Words of={description} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FieldsProps {
  of: ShownField[];
  caption: string;
  /** What is sent may be left out or not; of what is answered, only the shape is told. */
  inAnswer?: boolean;
}

function Fields({ of, caption, inAnswer = false }: FieldsProps) {
  return (
    <table class={inAnswer ? 'docs-fields' : 'docs-fields sent'}>
      <caption class="unseen">{caption}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">Name and type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ name, type, required, description, notes }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
              <span class="docs-type">
                {type}
                {!inAnswer && required && <strong> required</strong>}
              </span>
            </th>
            <td>
              <Words of={description} />
              {notes.length > 0 && <span class="docs-notes">{notes.join(' · ')}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Example({ of: { example } }: { of: ShownResponse }) {
  return example === undefined ? <p class="quiet">No body.</p> : <pre>{example}</pre>;
}

function HeaderNames({ of }: { of: string[] }) {
  return (
    <p class="docs-headers">
      <a href="#headers">Headers</a>:{' '}
      {of.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <code>{name}</code>
        </span>
      ))}
    </p>
  );
}

function Method({ of }: { of: string }) {
  return <span class={`docs-method ${of.toLowerCase()}`}>{of}</span>;
}

function Status({ of }: { of: string }) {
  return <span class={of.startsWith('2') ? 'badge good' : 'badge'}>{of}</span>;
}

/** The document's sentences mark names of fields and commands with backticks. */
function Words({ of }: { of: string }) {
  return (
    <>
      {of
        .split('`')
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : withKeysLink(part)))}
    </>
  );
}

/** The document names the page by its path; here it is a step away. */
function withKeysLink(text: string): ComponentChildren {
  const [before, after] = text.split('API Keys (/keys)');
  if (after === undefined) return text;
  return (
    <>
      {before}
      <a href="/keys">API Keys</a>
      {after}
    </>
  );
}
