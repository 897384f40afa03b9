import { Layout, type Visitor } from './layout.tsx';

interface FrontProps {
  visitor: Visitor;
  baseUrl: string;
  /** An SVG of the page's own address. */
  picture: string;
}

const steps = [
  {
    title: 'Store a code',
    text: 'A link, Wi-Fi, a contact, a place: ten types, here on the site or with one request.',
  },
  {
    title: 'Print its address',
    text: 'The picture holds a short address that stays the same. What is behind it can change at any time.',
  },
  {
    title: 'Read who scanned it',
    text: 'Days, places, devices, browsers: each scan is counted exactly once, and nobody’s address is stored.',
  },
];

export function FrontView({ visitor, baseUrl, picture }: FrontProps) {
  const curl = `curl ${baseUrl}/api/v1/qrcodes \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"name": "Menu", "content": "https://example.com/menu"}'`;
  return (
    <Layout title="Qrelay" visitor={visitor} at="/">
      <div class="front">
        <section class="front-lead" aria-labelledby="front-title">
          <h1 id="front-title">Print a QR code once. Change it any time, and see every scan.</h1>
          <p class="front-sentence">
            Qrelay stores a QR code, gives it an address to print, and tells you when, where and with what it
            was scanned.
          </p>
          <div class="row">
            {visitor.email === undefined ? (
              <a class="button" href="/signup">
                Sign up
              </a>
            ) : (
              <>
                <a class="button" href="/codes">
                  Your codes
                </a>
                <a class="button quiet" href="/keys">
                  Your API keys
                </a>
              </>
            )}
            <a class="button quiet" href="/docs">
              Read the API
            </a>
          </div>
        </section>
        <figure class="front-picture">
          {/* Drawn by ourselves, from the address alone. */}
          <div dangerouslySetInnerHTML={{ __html: picture }} />
          <figcaption>Scan it: this page, on your phone.</figcaption>
        </figure>
      </div>
      <section aria-labelledby="front-steps">
        <h2 id="front-steps">How it works</h2>
        <ol class="front-steps">
          {steps.map(({ title, text }) => (
            <li key={title} class="card">
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </section>
      <section class="card" aria-labelledby="front-request">
        <div class="front-request">
          <h2 id="front-request">Or in three lines</h2>
          <button type="button" class="quiet" data-copy="front-curl">
            Copy command
          </button>
        </div>
        <pre id="front-curl">{curl}</pre>
        <p class="unseen" role="status" id="copied" />
      </section>
    </Layout>
  );
}
