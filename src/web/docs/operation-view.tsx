import type { ShownOperation } from '../api/reference.ts';
import { RequestExample, ResponseExample } from './example-view.tsx';
import { Fields, HeaderNames, Method, Words } from './fields-view.tsx';
import { TryIt } from './try-view.tsx';

const parameterTitles: Record<string, string> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
};

/** An operation of the API. Its heading belongs to the page. */
export function Operation({ operation }: { operation: ShownOperation }) {
  const { id, summary, success } = operation;
  return (
    <div class="docs-columns">
      <div>
        <p class="docs-address">
          <Method name={operation.method} /> <code>{operation.path}</code>
        </p>
        <p>
          <Words text={operation.description} />
        </p>
        <p>
          Needs a key with the <a href="/docs/authentication#scopes">scope</a> <code>{operation.scope}</code>.
        </p>
      </div>
      <div class="docs-beside">
        <RequestExample id={`${id}-example`} label={summary} request={operation.request} />
        <TryIt operation={operation} />
        <ResponseExample answer={success} />
      </div>
      <div>
        <Parameters operation={operation} places={['path', 'query']} />
        {operation.body.length > 0 && (
          <>
            <h3>Body</h3>
            <Fields fields={operation.body} caption={`${summary}: fields of the body`} />
          </>
        )}
        <Parameters operation={operation} places={['header']} />
        <h3>Response</h3>
        <p>
          <Words text={success.description} />
        </p>
        {success.fields.length > 0 && (
          <details>
            <summary>Response fields</summary>
            <Fields fields={success.fields} caption={`${summary}: response fields`} isResponse />
          </details>
        )}
        <HeaderNames names={success.headers} />
        <p class="docs-errors">
          <a href="/docs/errors">Errors</a>:{' '}
          {operation.errors.map(({ status, description }, index) => (
            <span key={status}>
              {index > 0 && ', '}
              <a href={`/docs/errors#error-${status}`} title={description.replaceAll('`', '')}>
                {status}
              </a>
            </span>
          ))}
        </p>
      </div>
    </div>
  );
}

function Parameters({ operation, places }: { operation: ShownOperation; places: string[] }) {
  return (
    <>
      {operation.parameters
        .filter(({ place, fields }) => places.includes(place) && fields.length > 0)
        .map(({ place, fields }) => (
          <div key={place}>
            <h3>{parameterTitles[place]}</h3>
            <Fields
              fields={fields}
              caption={`${operation.summary}: ${parameterTitles[place]?.toLowerCase()}`}
            />
          </div>
        ))}
    </>
  );
}
