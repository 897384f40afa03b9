import { Fragment } from 'preact';
import type { Reference } from '../../api/reference.ts';
import { CopyableText } from '../../ui/copyable.tsx';
import { Fields, Words } from '../fields-view.tsx';
import type { Guide } from './guide.ts';

export function authenticationGuide({ keyFormat, authentication, scopes }: Reference): Guide {
  return {
    title: 'Authentication',
    lead: 'Every request carries an API key of your workspace.',
    sections: [
      {
        id: 'keys',
        title: 'API keys',
        body: (
          <>
            <p>Send the whole key in the header of every request:</p>
            <CopyableText
              id="authorization-header"
              label="Copy the header"
              text={`Authorization: Bearer ${keyFormat}`}
            />
            <p>
              <Words text={authentication} />
            </p>
            <p>
              The prefix is public and identifies the key in lists. The secret is stored only as a hash: if
              you lose a key, revoke it and create another one. Revoking takes effect immediately.
            </p>
            <p>
              Keep keys on servers and out of web pages, apps and repositories. Give each program a key of its
              own, with the scopes that it needs and a day on which it expires: the key works through the end
              of this day, in UTC.
            </p>
          </>
        ),
      },
      {
        id: 'scopes',
        title: 'Scopes',
        body: (
          <>
            <p>
              A key can do everything that this API offers with your workspace, or only what the scopes that
              you choose allow. Every operation of the reference names the scope that it needs.
            </p>
            <dl class="docs-values">
              {scopes.map(([scope, meaning]) => (
                <Fragment key={scope}>
                  <dt>
                    <code>{scope}</code>
                  </dt>
                  <dd>{meaning}</dd>
                </Fragment>
              ))}
            </dl>
            <p>
              A key without the scope gets <a href="/docs/errors#error-403">403</a> with the code{' '}
              <code>insufficient_scope</code>. The request counts against the limit of the key.
            </p>
          </>
        ),
      },
      {
        id: 'set-key',
        title: 'Run the examples',
        body: (
          <>
            <p>
              The examples on these pages read your key from the environment variable <code>KEY</code> and the
              id in the path from <code>ID</code>. Set them once in your shell:
            </p>
            <CopyableText
              id="settings"
              label="Copy the settings"
              text={`export KEY=${keyFormat.replaceAll(/<\w+>/g, '…')}\nexport ID=…`}
            />
            <p>
              JavaScript runs on Node 20 and later as <code>example.mjs</code>, Python needs nothing but its
              standard library, PHP its curl extension.
            </p>
          </>
        ),
      },
      {
        id: 'wrong-key',
        title: 'A key that does not work',
        body: (
          <p>
            A missing, malformed, unknown, revoked or expired key gets{' '}
            <a href="/docs/errors#error-401">401</a> with the error <code>invalid_api_key</code>. What belongs
            to another workspace gets <a href="/docs/errors#error-404">404</a>, as if it did not exist.
          </p>
        ),
      },
    ],
  };
}

export function requestsGuide(reference: Reference, openApiPath: string): Guide {
  return {
    title: 'Requests and responses',
    lead: reference.description,
    sections: [
      {
        id: 'base-url',
        title: 'Base URL',
        body: (
          <>
            <CopyableText id="base-address" label="Copy the base URL" text={reference.serverUrl} />
            <p>
              <a href={openApiPath}>openapi.json</a> describes the same API, version {reference.version}, for
              your tools (OpenAPI 3.1). These pages are generated from it.
            </p>
          </>
        ),
      },
      {
        id: 'strict-requests',
        title: 'Strict requests',
        body: (
          <p>
            An unknown field or parameter is an error that names it and, for a near miss such as{' '}
            <code>foregroundcolor</code>, suggests the right name. Values are not converted:{' '}
            <code>"512"</code> is not a size. Times are ISO 8601 timestamps in UTC.
          </p>
        ),
      },
      {
        id: 'compatibility',
        title: 'Compatibility',
        body: (
          <p>
            Fields are not removed or renamed within <code>v1</code>. Responses may get new fields: ignore the
            ones that you do not know.
          </p>
        ),
      },
      {
        id: 'headers',
        title: 'Response headers',
        body: <Fields fields={reference.headers} caption="Response headers" isResponse />,
      },
    ],
  };
}
