import type { Reference, ShownResponse, ShownOperation } from '../api/reference.ts';
import { CopyableText } from '../ui/copyable.tsx';
import { Layout, type Visitor } from '../ui/layout.tsx';
import { DocsContents } from './docs-contents.tsx';
import { Fields, Method, Words } from './docs-parts.tsx';
import { Events } from './events-view.tsx';

const parameterTitles: Record<string, string> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
};

interface DocsProps {
  visitor: Visitor;
  /** The rendered `DocsBody`, or a placeholder for it. */
  body: string;
}

export function DocsView({ visitor, body }: DocsProps) {
  return (
    <Layout title="API" visitor={visitor} at="/docs" styles={['docs']}>
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
