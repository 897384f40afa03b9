import type { ShownField, ShownOperation } from '../api/reference.ts';

/**
 * Sends the request from the page, by try.browser.js. No input has a name: if the script does not run, a browser that
 * submits the form sends nothing of it, above all no key.
 */
export function TryIt({ operation }: { operation: ShownOperation }) {
  const { method, path, summary, parameters, request, fileTypes, id } = operation;
  const fieldsOf = (place: string) => parameters.find((each) => each.place === place)?.fields ?? [];
  const isRead = method === 'GET';
  return (
    <details class="docs-try">
      <summary>Try it</summary>
      <form
        method="get"
        autocomplete="off"
        aria-label={`Try it: ${summary}`}
        data-try={method}
        data-path={path}
        data-asks={isRead ? undefined : ''}
      >
        <label>
          API key
          <input type="password" class="code" data-key required placeholder="qrl_…" spellcheck={false} />
        </label>
        <p class="hint">
          Stays in this tab until you sign in or out. It is sent as the <code>Authorization</code> header of
          this request, without your cookies, and counts against its rate limit.{' '}
          <a href="/keys">Create a key</a>
        </p>
        <div class="docs-try-fields">
          {fieldsOf('path').map((field) => (
            <Parameter key={field.name} field={field} place="path" />
          ))}
          {fieldsOf('query').map((field) => (
            <Parameter key={field.name} field={field} place="query" />
          ))}
        </div>
        {request.body !== undefined && (
          <label>
            Body
            <textarea
              class="code"
              data-body
              rows={Math.min(JSON.stringify(request.body, null, 2).split('\n').length + 1, 14)}
              spellcheck={false}
              defaultValue={JSON.stringify(request.body, null, 2)}
            />
          </label>
        )}
        {fileTypes.length > 0 && (
          <label>
            File
            <input type="file" data-file required accept={fileTypes.join(',')} />
          </label>
        )}
        <button type="submit" class={isRead ? undefined : 'quiet'}>
          Send {method} request
        </button>
        <div data-result id={`${id}-result`} />
      </form>
    </details>
  );
}

function Parameter({ field, place }: { field: ShownField; place: 'path' | 'query' }) {
  const { name, required, notes, type, description } = field;
  const placeholder = notes.find((note) => note.startsWith('default')) ?? type;
  return (
    <label>
      {name} {!required && <span class="quiet">optional</span>}
      <input
        type="text"
        class="code"
        data-place={place}
        data-name={name}
        required={required}
        placeholder={required ? description.replaceAll('`', '') : placeholder}
        spellcheck={false}
      />
    </label>
  );
}
