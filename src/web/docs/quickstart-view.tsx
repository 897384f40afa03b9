import type { Reference, ShownOperation } from '../api/reference.ts';
import { CopyableText } from '../ui/copyable.tsx';
import type { DocsPage } from './docs-page.ts';
import { RequestExample, ResponseExample } from './example-view.tsx';
import { Method } from './fields-view.tsx';
import { pictureRequest } from './guides/pictures.tsx';

/** The first page: from nothing to the scans of a printed code, and where everything else is. */
export function quickstart(reference: Reference, baseUrl: string, pages: DocsPage[]): DocsPage {
  const create = find(reference, 'createQrCode');
  const scans = find(reference, 'listQrCodeScans');
  return {
    path: '/docs',
    title: 'Quickstart',
    group: 'Get started',
    lead: reference.summary,
    sections: [
      {
        id: 'start',
        title: 'Create a key',
        body: (
          <>
            <p>
              Create one on the page <a href="/keys">API keys</a>. It is shown only once: copy it into your
              shell, from where the examples read it.
            </p>
            <CopyableText
              id="quickstart-key"
              label="Copy: set the key"
              text={`export KEY=${reference.keyFormat.replaceAll(/<\w+>/g, '…')}`}
            />
          </>
        ),
      },
      {
        id: 'first-request',
        title: 'Create a code and print it',
        body: (
          <>
            <p>
              One request creates a dynamic code: what it opens can be changed after it is printed. See{' '}
              <a href="/docs/qr-codes#createQrCode">every field</a>.
            </p>
            <RequestExample id="quickstart-create" label={create.summary} request={create.request} />
            <ResponseExample answer={create.success} />
            <p>
              The picture is at the code's share link, as <code>.svg</code>, <code>.png</code> or{' '}
              <code>.pdf</code>, and needs no key. Set <code>TOKEN</code> to the <code>shareToken</code> of
              the response:
            </p>
            <RequestExample
              id="quickstart-picture"
              label="Download the picture"
              request={pictureRequest(baseUrl)}
            />
          </>
        ),
      },
      {
        id: 'read-scans',
        title: 'Read its scans',
        body: (
          <>
            <p>
              Scan the picture with your phone, then ask when and where that was. Set <code>ID</code> to the{' '}
              <code>id</code> of the code. A scan is there within about a second.
            </p>
            <RequestExample id="quickstart-scans" label={scans.summary} request={scans.request} />
            <ResponseExample answer={scans.success} />
            <p>
              To be called instead of asking, use <a href="/docs/webhook-events">webhooks</a>.
            </p>
          </>
        ),
      },
      { id: 'contents', title: 'Everything in these docs', body: <Contents pages={pages} /> },
    ],
  };
}

function find({ resources }: Reference, id: string): ShownOperation {
  const found = resources.flatMap(({ operations }) => operations).find((operation) => operation.id === id);
  if (!found) throw new Error(`The quickstart shows the operation ${id}, which does not exist`);
  return found;
}

/**
 * Each entry has the anchor of its section, because all of them were once on this page: an old link such as
 * `/docs#createQrCode` leads to the entry, and docs.browser.js follows it from there.
 */
function Contents({ pages }: { pages: DocsPage[] }) {
  return (
    <div class="docs-contents">
      {pages.map((page) => (
        <section key={page.path}>
          <h3>
            <a href={page.path}>{page.title}</a>
          </h3>
          <ul>
            {page.sections.map(({ id, title, operation }) => (
              <li key={id} id={id}>
                <a href={`${page.path}#${id}`} data-moved>
                  {operation && <Method name={operation.method} />} {title}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
