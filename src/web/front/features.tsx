import type { ComponentChildren } from 'preact';
import { CopyableText } from '../ui/copyable.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { useVisitor } from '../ui/visitor.ts';
import type { EventName } from '../../webhooks/events.ts';
import { Analytics } from './analytics.tsx';
import { DynamicPicture, FilePicture, MiniCodeShape, PrintPicture } from './pictures.tsx';

interface FeaturesProps {
  baseUrl: string;
  /** Codes in several designs, as SVG. */
  samples: string[];
  hasDemo: boolean;
}

export function Features({ baseUrl, samples, hasDemo }: FeaturesProps) {
  const { brand, footerLinks, email } = useVisitor();
  return (
    <section aria-labelledby="front-features">
      <h2 id="front-features" class="front-heading">
        Everything between the idea and the scan
      </h2>
      <MiniCodeShape />
      <div class="bento">
        <Feature
          size="half"
          icon="refresh-cw"
          title="Dynamic codes"
          picture={<DynamicPicture />}
          text="The printed code holds a short link that never changes. Where it leads is yours to change, as often as you want: no reprint, no sticker over a sticker."
        />
        <Feature
          size="half"
          icon="palette"
          title="Designs and logos"
          picture={<Samples samples={samples} />}
          text="Shapes, eyes, gradients, frames and your logo. Two QR readers check each design before it is saved, so that it looks like you and still scans."
        />
        <Feature
          size="most"
          icon="chart-column"
          title="Analytics"
          picture={<Analytics />}
          text="When, where and on which device, live. Each scan counts once, even if a server fails in the middle of it."
        >
          {hasDemo && email === undefined && (
            <p>
              <a href="/demo/code" rel="nofollow">
                Open these charts in the demo
              </a>
            </p>
          )}
        </Feature>
        <Feature
          size="third"
          icon="file-text"
          title="Files"
          picture={<FilePicture />}
          text="A code can open a PDF or a picture. Upload next season’s menu; the code on the table stays."
        />
        <Feature
          size="half"
          icon="printer"
          title="Ready to print"
          picture={<PrintPicture />}
          text="Posters, table tents, stickers and sheets of labels in real millimeters. SVG, PNG, or PDF with bleed and crop marks."
        />
        <Feature
          size="half"
          icon="shield-check"
          title="Privacy that needs no banner"
          picture={<PrivacyPicture />}
          text="An address is looked up for its city and then forgotten: it is in no table and no log."
        />
        <Feature
          size={brand.isCustom && !footerLinks.source ? 'full' : 'most'}
          icon="webhook"
          title="API and webhooks"
          text="Create, change, design and print codes from your own program. Signed webhooks call it when a code is scanned, changed or about to expire."
        >
          <ApiExample baseUrl={baseUrl} />
        </Feature>
        {(!brand.isCustom || footerLinks.source) && (
          <Feature
            size="third"
            icon="terminal"
            title="Yours in two commands"
            text="Open source under the MIT license. Only Node.js has to be there."
          >
            <SelfHosting source={footerLinks.source} />
          </Feature>
        )}
      </div>
    </section>
  );
}

interface FeatureProps {
  size: 'third' | 'half' | 'most' | 'full';
  icon: IconName;
  title: string;
  text: string;
  picture?: ComponentChildren;
  children?: ComponentChildren;
}

function Feature({ size, icon, title, text, picture, children }: FeatureProps) {
  const id = `front-${icon}`;
  return (
    <section class={`feature ${size}`} aria-labelledby={id}>
      {picture && <div class="feature-picture">{picture}</div>}
      <div class="feature-words">
        <h3 id={id}>
          <Icon name={icon} />
          {title}
        </h3>
        <p>{text}</p>
        {children}
      </div>
    </section>
  );
}

function Samples({ samples }: { samples: string[] }) {
  return (
    <div class="samples" aria-hidden="true">
      {samples.map((svg, index) => (
        // Trusted: drawn from our own address and colors.
        <div key={index} dangerouslySetInnerHTML={{ __html: svg }} />
      ))}
    </div>
  );
}

const promises = [
  'No IP addresses in any table or log',
  'No cookies and no tracking for people who scan',
  'Nothing loaded from other hosts',
  'Raw scans can be dropped after a set time',
];

function PrivacyPicture() {
  return (
    <ul class="promises">
      {promises.map((promise) => (
        <li key={promise}>
          <Icon name="check" />
          {promise}
        </li>
      ))}
    </ul>
  );
}

const deliveries: [event: EventName, code: string][] = [
  ['scan.recorded', 'Menu, table cards'],
  ['code.expiring', 'Summer sale'],
];

function ApiExample({ baseUrl }: { baseUrl: string }) {
  const curl = `curl ${baseUrl}/api/v1/qrcodes \\
  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"name": "Menu", "content": "https://example.com/menu"}'`;
  return (
    <>
      <CopyableText id="front-curl" label="Copy the command" text={curl} isSource />
      <ul class="deliveries" aria-label="Webhooks, for example">
        {deliveries.map(([event, name]) => (
          <li key={event}>
            <Icon name="circle-check" />
            <code>{event}</code>
            <span>{name}</span>
            <b>200</b>
          </li>
        ))}
      </ul>
      <p class="quiet">
        <code>$KEY</code> is an <a href="/docs#start">API key</a>. All operations are in the{' '}
        <a href="/docs">docs</a>.
      </p>
    </>
  );
}

const included = ['PostgreSQL included, Redis optional', 'Compose, Helm and systemd files'];

function SelfHosting({ source }: { source: string | undefined }) {
  const first = source === undefined ? 'cd qrelay' : `git clone ${source} qrelay && cd qrelay`;
  return (
    <>
      <CopyableText id="front-start" label="Copy the commands" text={`${first}\nnpm start`} isSource />
      <ul class="included">
        {included.map((each) => (
          <li key={each}>
            <Icon name="check" />
            {each}
          </li>
        ))}
      </ul>
      {source !== undefined && (
        <p>
          <a href={source} rel="noreferrer">
            Source code
          </a>
        </p>
      )}
    </>
  );
}
