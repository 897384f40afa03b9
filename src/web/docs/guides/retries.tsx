import type { Reference, ShownField } from '../../api/reference.ts';
import { Fields, Words } from '../fields-view.tsx';
import type { Guide } from './guide.ts';

export function rateLimitsGuide({ errors, headers }: Reference): Guide {
  const limited = errors.find(({ status }) => status === '429');
  return {
    title: 'Rate limits',
    lead: 'Requests are counted per API key, over a sliding window of one hour.',
    sections: [
      {
        id: 'quota',
        title: 'How many requests',
        body: (
          <>
            <p>
              <Words text={limited?.description ?? ''} />
            </p>
            <p>
              A request stops counting exactly one hour after it was made. Every authenticated request counts,
              whatever its status, except those rejected with 429. One bulk request counts as one. Scans of
              your codes do not count, nor does the OpenAPI document.
            </p>
          </>
        ),
      },
      {
        id: 'remaining',
        title: 'How many are left',
        body: (
          <>
            <p>Every response says so:</p>
            <Fields
              fields={headers.filter(({ name }) => /^(?:X-RateLimit|Retry)-/.test(name))}
              caption="Headers about the rate limit"
              isResponse
            />
          </>
        ),
      },
    ],
  };
}

export function idempotencyGuide(reference: Reference): Guide {
  const parameter = findParameters(reference);
  return {
    title: 'Idempotency and retries',
    lead: 'After a timeout or a lost connection, send the same request again without creating a second code.',
    sections: [
      {
        id: 'idempotency-key',
        title: 'Idempotency keys',
        body: (
          <>
            <Fields fields={parameter('Idempotency-Key')} caption="The header of a request" />
            <ul>
              <li>
                A repeated request gets the response of the first one, with the header{' '}
                <code>Idempotency-Replayed: true</code>.
              </li>
              <li>
                Only successful responses are kept. After an error nothing has changed, and the key can be
                used again, also with a corrected body.
              </li>
              <li>The same key with another method, path or body is a 400 that names the header.</li>
              <li>
                Parallel requests with the same key are processed once. The others wait for the response, or
                get a <a href="/docs/errors#error-409">409</a> with the code <code>request_in_progress</code>:
                send them again.
              </li>
            </ul>
          </>
        ),
      },
      {
        id: 'retries',
        title: 'What to retry',
        body: (
          <p>
            GET, PUT and DELETE are safe to repeat. After <a href="/docs/errors#error-429">429</a> and{' '}
            <a href="/docs/errors#error-503">503</a>, wait for the seconds in <code>Retry-After</code>. Do not
            repeat other requests with a status below 500: the answer stays the same.
          </p>
        ),
      },
      {
        id: 'versions',
        title: 'Change only the version you have read',
        body: (
          <>
            <p>
              QR codes, styles and webhook endpoints have a version, their <code>ETag</code>. With it, two
              programs do not overwrite each other's changes.
            </p>
            <Fields
              fields={[...parameter('If-Match'), ...parameter('If-None-Match')]}
              caption="Headers about versions"
            />
          </>
        ),
      },
    ],
  };
}

export function pagingGuide(reference: Reference): Guide {
  const parameter = findParameters(reference);
  return {
    title: 'Paging',
    lead: 'Lists come in pages, newest first.',
    sections: [
      {
        id: 'pages',
        title: 'From page to page',
        body: (
          <>
            <p>
              A list is <code>{'{"data": […], "nextCursor": "…"}'}</code>. Send <code>nextCursor</code> as{' '}
              <code>cursor</code> to get the next page; it is null on the last one.
            </p>
            <Fields fields={[...parameter('limit'), ...parameter('cursor')]} caption="Parameters of a list" />
            <p>
              Ids sort by time, so pages neither repeat nor skip items when new ones arrive or when the last
              item is deleted. Each list has its own largest <code>limit</code>.
            </p>
          </>
        ),
      },
      {
        id: 'periods',
        title: 'Periods',
        body: (
          <p>
            <code>from</code> and <code>to</code> restrict codes, scans and deliveries to a period. Both are
            ISO 8601 timestamps, and either may be left out. <code>from</code> is part of the period,{' '}
            <code>to</code> is not, so that periods can follow one another:{' '}
            <code>?from=2026-11-01T00:00:00Z&amp;to=2026-12-01T00:00:00Z</code> is November. Encode the{' '}
            <code>+</code> of an offset as <code>%2B</code>.
          </p>
        ),
      },
    ],
  };
}

/** A parameter as the first operation describes it that has one of this name. */
function findParameters({ resources }: Reference): (name: string) => ShownField[] {
  const all = resources.flatMap(({ operations }) =>
    operations.flatMap(({ parameters }) => parameters.flatMap(({ fields }) => fields)),
  );
  return (wanted) => all.filter(({ name }) => name === wanted).slice(0, 1);
}
