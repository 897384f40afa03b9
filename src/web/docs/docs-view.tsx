import type { ComponentChildren } from 'preact';
import type { Reference, ShownResponse, ShownField, ShownOperation } from '../api/reference.ts';
import { CopyableText } from '../ui/copyable.tsx';
import { Layout, type Visitor } from '../ui/layout.tsx';

const parameterTitles: Record<string, string> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
};

interface DocsProps {
  visitor: Visitor;
  /** The rendered `DocsBody`. */
  body: string;
}

export function DocsView({ visitor, body }: DocsProps) {
  return (
    <Layout title="API" visitor={visitor} at="/docs" styles={['docs']}>
      <div class="docs" dangerouslySetInnerHTML={{ __html: body }} />
    </Layout>
  );
}

/** The same for everybody, so that it can be cached. */
export function DocsBody({ reference, openApiPath }: { reference: Reference; openApiPath: string }) {
  const { operations } = reference;
  return (
    <>
      <Contents operations={operations} />
      <div>
        <Start reference={reference} openApiPath={openApiPath} />
        {operations.map((operation) => (
          <Operation key={operation.id} operation={operation} />
        ))}
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

/** Closed on phones, where it would fill a screen above the title. */
function Contents({ operations }: { operations: ShownOperation[] }) {
  return (
    <nav class="docs-nav" aria-label="API reference">
      <details>
        <summary>On this page</summary>
        <ul>
          <li>
            <a href="#start">Start</a>
          </li>
          {operations.map(({ id, method, summary }) => (
            <li key={id}>
              <a href={`#${id}`}>
                <Method name={method} /> {summary}
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
        To run the examples on this page, first set your key and, where the path has one, the id of a code:
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

function Example({ answer: { example } }: { answer: ShownResponse }) {
  return example === undefined ? <p class="quiet">No body.</p> : <pre>{example}</pre>;
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

function Method({ name }: { name: string }) {
  return <span class={`docs-method ${name.toLowerCase()}`}>{name}</span>;
}

function Status({ code }: { code: string }) {
  return <span class={code.startsWith('2') ? 'badge good' : 'badge'}>{code}</span>;
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
