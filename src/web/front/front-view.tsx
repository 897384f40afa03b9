import { CopyableText } from '../ui/copyable.tsx';
import { FrontExample } from './front-example.tsx';
import { Layout, type Visitor } from '../ui/layout.tsx';
import { Notice } from '../ui/notice.tsx';

interface FrontProps {
  visitor: Visitor;
  baseUrl: string;
  /** A QR code of the page's own URL, as SVG. */
  picture: string;
  /** How long a new code works. */
  lifetimeDays: number;
  flash?: string | undefined;
}

const stepsOf = (lifetimeDays: number) => [
  {
    title: 'Create a code',
    text: 'A web page, Wi-Fi, a contact, a place: ten types, here on the site or with one request.',
  },
  {
    title: 'Print it',
    text: `The picture holds a short link that never changes. A code works as long as it is used: for ${lifetimeDays === 365 ? 'a year' : `${lifetimeDays} days`}, and scans renew it. You can change its content at any time.`,
  },
  {
    title: 'See every scan',
    text: 'See when, where and on which device. Each scan is counted exactly once, live, and no IP addresses are stored.',
  },
];

export function FrontView({ visitor, baseUrl, picture, lifetimeDays, flash }: FrontProps) {
  const curl = `curl ${baseUrl}/api/v1/qrcodes \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"name": "Menu", "content": "https://example.com/menu"}'`;
  return (
    <Layout title="Qrelay" visitor={visitor} at="/" styles={['codes', 'front']}>
      {flash && <Notice kind="good">{flash}</Notice>}
      <div class="front front-thirds">
        <section class="front-lead" aria-labelledby="front-title">
          <h1 id="front-title">Print a QR code once. Change it any time, and see every scan.</h1>
          <p class="front-sentence">
            Qrelay gives each QR code a short share link, so you can change its content after printing, and
            shows you when, where and on which device it was scanned.
          </p>
          <div class="row">
            {visitor.email === undefined ? (
              <a class="button" href={visitor.canSignUp ? '/signup' : '/signin'}>
                {visitor.canSignUp ? 'Sign up' : 'Sign in'}
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
              API docs
            </a>
          </div>
        </section>
        <figure class="card front-picture">
          {/* Trusted: drawn from the base URL alone. */}
          <div dangerouslySetInnerHTML={{ __html: picture }} />
          <figcaption>Scan it to open this page on a phone.</figcaption>
        </figure>
      </div>
      <section aria-labelledby="front-steps">
        <h2 id="front-steps">How it works</h2>
        <ol class="columns front-steps">
          {stepsOf(lifetimeDays).map(({ title, text }) => (
            <li key={title} class="card">
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </section>
      <FrontExample />
      <section class="card" aria-labelledby="front-request">
        <h2 id="front-request">Or in three lines</h2>
        <CopyableText id="front-curl" label="Copy the command" text={curl} />
        <p class="quiet">
          <code>$KEY</code> is an API key: create one on the page <a href="/keys">API Keys</a>.
        </p>
      </section>
    </Layout>
  );
}
