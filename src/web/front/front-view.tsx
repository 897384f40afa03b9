import { Layout, Outcome } from '../ui/layout.tsx';
import { useMay, useVisitor } from '../ui/visitor.ts';
import { Comparison } from './comparison.tsx';
import { Features } from './features.tsx';
import type { FrontCodes } from './front-code.ts';
import { Scene } from './scene.tsx';
import { codeTypes } from '../../codes/content/content-types.ts';
import { languages } from '../../http/preferred-language.ts';
import { Icon } from '../ui/icons.tsx';

interface FrontProps {
  baseUrl: string;
  codes: FrontCodes;
  /** How long a new code works. */
  lifetimeDays: number;
  hasDemo: boolean;
}

/** What the service is for, shown rather than told. */
export function FrontView({ baseUrl, codes, lifetimeDays, hasDemo }: FrontProps) {
  const { brand } = useVisitor();
  return (
    <Layout title={brand.name} at="/" styles={['front']} footer={<FrontFooter hasDemo={hasDemo} />}>
      <Outcome />
      <div class="front">
        <section class="hero" aria-labelledby="front-title">
          <div class="hero-words">
            <h1 id="front-title">
              Print it once. <span>Change it anytime.</span>
            </h1>
            <p class="hero-sentence">
              QR codes in your colors and with your logo, which open something new whenever you want. See
              every scan, counted exactly once, without storing anybody’s IP address.
            </p>
            <Actions hasDemo={hasDemo} />
            <p class="hero-note">
              {hasDemo
                ? 'The code is real. Scan it, and watch your scan arrive in the demo.'
                : 'The code is real. Scan it to open this page on a phone.'}
            </p>
          </div>
          <Scene code={codes.scanned} />
        </section>
        <Facts lifetimeDays={lifetimeDays} />
        <Features baseUrl={baseUrl} samples={codes.samples} hasDemo={hasDemo} />
        <Comparison />
        <section class="closing" aria-labelledby="front-closing">
          <h2 id="front-closing">Your next code can outlive its first idea.</h2>
          <p>Make one in a minute. Decide later where it leads.</p>
          <Actions hasDemo={hasDemo} />
        </section>
      </div>
    </Layout>
  );
}

/** One of them is the next step. */
function Actions({ hasDemo }: { hasDemo: boolean }) {
  const { email, canSignUp } = useVisitor();
  const isStranger = email === undefined;
  const hasKeys = useMay()('owner');
  return (
    <div class="row front-actions">
      {isStranger ? (
        <a class="button large" href={canSignUp ? '/signup' : '/signin'}>
          {canSignUp ? 'Create your first code' : 'Sign in'}
          <Icon name="arrow-right" />
        </a>
      ) : (
        <a class="button large" href="/codes">
          Your codes
          <Icon name="arrow-right" />
        </a>
      )}
      {isStranger && hasDemo ? (
        <a class="button quiet large" href="/demo" rel="nofollow">
          See the live demo
        </a>
      ) : (
        <a class="button quiet large" href={hasKeys ? '/keys' : '/docs'}>
          {hasKeys ? 'Your API keys' : 'Read the docs'}
        </a>
      )}
    </div>
  );
}

/** Before the links of the operator. */
function FrontFooter({ hasDemo }: { hasDemo: boolean }) {
  const { brand, email, canSignUp } = useVisitor();
  const isStranger = email === undefined;
  return (
    <>
      <p class="foot-brand">
        <b>{brand.name}</b>
        {!brand.isCustom && ' · Open source under the MIT license'}
      </p>
      <a href="/docs">Docs</a>
      {hasDemo && isStranger && (
        <a href="/demo" rel="nofollow">
          Live demo
        </a>
      )}
      {isStranger && <a href="/signin">Sign in</a>}
      {isStranger && canSignUp && <a href="/signup">Sign up</a>}
    </>
  );
}

const lifetime = (days: number) => (days === 365 ? 'A year' : `${days} days`);

function Facts({ lifetimeDays }: { lifetimeDays: number }) {
  const facts: [string, string][] = [
    [String(codeTypes.length), 'types of content, from links and menus to Wi-Fi and contacts'],
    [String(languages.length), 'languages on the page that people see after a scan'],
    [lifetime(lifetimeDays), 'is the lifetime of a code, and scans renew it: what is used keeps working'],
    ['0', 'IP addresses stored, and no cookies for people who scan'],
  ];
  return (
    <dl class="facts">
      {facts.map(([value, name]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
