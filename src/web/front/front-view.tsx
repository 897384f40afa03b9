import { Ranking, Timeline } from '../codes/detail/charts.tsx';
import { CopyableText } from '../ui/copyable.tsx';
import { figure } from '../ui/words.tsx';
import { Layout, Outcome } from '../ui/layout.tsx';
import { useVisitor } from '../ui/visitor.ts';

interface FrontProps {
  baseUrl: string;
  /** A QR code of the page's own URL, as SVG. */
  picture: string;
  /** How long a new code works. */
  lifetimeDays: number;
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

export function FrontView({ baseUrl, picture, lifetimeDays }: FrontProps) {
  const visitor = useVisitor();
  const curl = `curl ${baseUrl}/api/v1/qrcodes \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"name": "Menu", "content": "https://example.com/menu"}'`;
  return (
    <Layout title="Qrelay" at="/" styles={['codes', 'front']}>
      <Outcome />
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

/** Invented, and labeled as an example: the menu of a café in June, busiest on weekends. */
const scansADay = [
  18, 21, 19, 27, 44, 58, 49, 22, 24, 20, 31, 52, 66, 55, 25, 23, 28, 34, 57, 71, 60, 29, 27, 30, 38, 63, 82,
  68, 33, 36,
];
const timeline = scansADay.map((scans, index) => ({
  date: `2026-06-${String(index + 1).padStart(2, '0')}`,
  scans,
}));
const total = scansADay.reduce((sum, scans) => sum + scans, 0);
const abroad = [
  { name: 'Spain', count: 214 },
  { name: 'France', count: 127 },
  { name: 'United Kingdom', count: 58 },
  { name: 'Germany', count: 35 },
];
const countries = [
  { name: 'Portugal', count: abroad.reduce((rest, { count }) => rest - count, total) },
  ...abroad,
];
const cities = 17;

/** The charts of a code's page with example data. */
function FrontExample() {
  return (
    <section aria-labelledby="front-example">
      <div class="heading front-heading">
        <h2 id="front-example">What you see</h2>
        <span class="badge">Example</span>
      </div>
      <div class="front-thirds">
        <div class="card">
          <dl class="totals">
            {[
              { name: 'Scans', value: total },
              { name: 'Countries', value: countries.length },
              { name: 'Cities', value: cities },
            ].map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{figure(value)}</dd>
              </div>
            ))}
          </dl>
          <Timeline timeline={timeline} isExample />
        </div>
        <Ranking caption="Countries" column="Country" rows={countries} total={total} />
      </div>
    </section>
  );
}
