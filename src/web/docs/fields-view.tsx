import { type ComponentChildren, Fragment } from 'preact';
import type { ShownField } from '../api/reference.ts';

interface FieldsProps {
  fields: ShownField[];
  caption: string;
  /** Fields of a response are not marked as required. */
  isResponse?: boolean;
}

export function Fields({ fields, caption, isResponse = false }: FieldsProps) {
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
        {fields.map(({ name, type, required, description, notes, values }) => (
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
              {values.length > 0 && (
                <dl class="docs-values">
                  {values.map(([value, meaning]) => (
                    <Fragment key={value}>
                      <dt>
                        <code>{value}</code>
                      </dt>
                      <dd>
                        <Words text={meaning} />
                      </dd>
                    </Fragment>
                  ))}
                </dl>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The document marks code with backticks. */
export function Words({ text }: { text: string }) {
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
  const [before, after] = text.split('API keys page (/keys)');
  if (after === undefined) return text;
  return (
    <>
      {before}
      <a href="/keys">API keys</a> page
      {after}
    </>
  );
}

export function Method({ name }: { name: string }) {
  return <span class={`docs-method ${name.toLowerCase()}`}>{name}</span>;
}

export function Status({ code }: { code: string }) {
  return <span class={code.startsWith('2') ? 'badge good' : 'badge'}>{code}</span>;
}

export function HeaderNames({ names }: { names: string[] }) {
  return (
    <p class="docs-headers">
      <a href="/docs/requests#headers">Headers</a>:{' '}
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <code>{name}</code>
        </span>
      ))}
    </p>
  );
}
