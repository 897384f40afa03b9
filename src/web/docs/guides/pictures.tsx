import { RequestExample } from '../example-view.tsx';
import type { ExampleRequest } from '../../api/reference.ts';
import type { Guide } from './guide.ts';

/** Share links and pictures are not operations of the API: they need no key. */
export function pictureRequest(baseUrl: string): ExampleRequest {
  return { method: 'GET', url: `${baseUrl}/r/{token}.svg`, hasKey: false, responseType: 'image/svg+xml' };
}

export function picturesGuide(baseUrl: string): Guide {
  return {
    title: 'Pictures and share links',
    lead: 'The picture of a code and the link in it are public: no key is needed for them.',
    sections: [
      {
        id: 'share-link',
        title: 'The share link',
        body: (
          <>
            <p>
              A code's <code>shareUrl</code> is <code>{baseUrl}/r/&lt;shareToken&gt;</code>. Opening it counts
              as a scan and leads to the destination, or shows a page. HEAD requests, crawlers and link
              previews get the same answer, and are not counted.
            </p>
            <p>A private or deleted code answers 404, an expired or blocked one 410.</p>
          </>
        ),
      },
      {
        id: 'pictures',
        title: 'Pictures',
        body: (
          <>
            <p>
              Add <code>.svg</code>, <code>.png</code> or <code>.pdf</code> to the share link. Set{' '}
              <code>TOKEN</code> to the code's <code>shareToken</code>:
            </p>
            <RequestExample
              id="picture-example"
              label="Download a picture"
              request={pictureRequest(baseUrl)}
            />
            <p>
              The picture has the colors, size and design of the code. It contains the share link, so scans
              are counted, and the destination can change after printing.
            </p>
            <ul>
              <li>
                <code>?encode=content</code> encodes the content itself: a static picture that works without
                this service, is not counted, and cannot be changed later.
              </li>
              <li>
                <code>?download</code> makes browsers save the file.
              </li>
              <li>
                A PDF has a width in millimeters, <code>?widthMm=</code> (10 to 1000, default 50), a bleed,{' '}
                <code>?bleedMm=</code> (0 to 10), and with <code>?cropMarks</code> crop marks.
              </li>
            </ul>
            <p>
              For many codes at once, see <a href="/docs/printing">Printing</a>.
            </p>
          </>
        ),
      },
    ],
  };
}
