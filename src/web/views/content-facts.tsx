import type { ComponentChildren } from 'preact';
import { readContent } from '../../codes/content/read-content.ts';
import type { QrCode } from '../../codes/qr-code.ts';

type Fact = [name: string, value: ComponentChildren];

/** What a code holds, in a few words: enough to know it again. A password stays in the form. */
export function ContentFacts({ code }: { code: QrCode }) {
  return (
    <>
      {factsOf(code)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="gist">{typeof value === 'string' ? <bdi>{value}</bdi> : value}</dd>
          </div>
        ))}
    </>
  );
}

function factsOf({ type, content }: QrCode): Fact[] {
  const read = readContent(type, content);
  switch (read.kind) {
    case 'link':
      return [['Leads to', <Link href={read.href} text={type === 'url' ? content : read.href} />]];
    case 'links':
      return [['Links', read.lines.map(({ text }) => text).join('\n')]];
    case 'phone':
      return [['Number', read.number]];
    case 'sms':
      return [
        ['Number', read.number],
        ['Message', read.body],
      ];
    case 'email':
      return [
        ['To', read.to.join(', ')],
        ['Subject', read.subject],
      ];
    case 'geo':
      return [
        ['Place', read.label],
        ['Coordinates', `${read.latitude}, ${read.longitude}`],
      ];
    case 'wifi':
      return [['Network', read.networkName]];
    case 'contact':
      return [
        ['Contact', read.name],
        ['Organisation', read.organization],
      ];
    case 'text':
      return [['Text', read.text]];
  }
}

function Link({ href, text }: { href: string; text: string }) {
  return (
    <a href={href} rel="noreferrer">
      <bdi>{text}</bdi>
    </a>
  );
}
