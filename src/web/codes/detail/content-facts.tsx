import type { ComponentChildren } from 'preact';
import type { LinksContent } from '../../../codes/content/code-content.ts';
import { parseContent } from '../../../codes/content/parse-content.ts';
import type { QrCode } from '../../../codes/qr-code.ts';

/** About as much as the style sheet shows of a text. */
const shownLines = 4;
const shownCharacters = 120;

type Fact = [name: string, value: ComponentChildren];

/** The content of a code in short. Passwords are shown only in the form. */
export function ContentFacts({ code }: { code: QrCode }) {
  return (
    <>
      {factsOf(code)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <LongText text={value} /> : value}</dd>
          </div>
        ))}
    </>
  );
}

function factsOf({ type, content }: QrCode): Fact[] {
  const read = parseContent(type, content);
  switch (read.kind) {
    case 'link':
      return [
        ['Leads to', <LinkLines lines={[{ href: read.href, text: type === 'url' ? content : read.href }]} />],
      ];
    case 'links':
      return [['Links', <Links lines={read.lines} />]];
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
        ['Organization', read.organization],
      ];
    case 'text':
      return [['Text', read.text]];
  }
}

/** The beginning, with the whole text behind "Show all" where it is long. */
function LongText({ text }: { text: string }) {
  const isLong = text.length > shownCharacters || text.split('\n').length > shownLines;
  return (
    <>
      <div class="gist">
        <bdi>{text}</bdi>
      </div>
      {isLong && (
        <details>
          <summary>Show all</summary>
          <div class="whole">
            <bdi>{text}</bdi>
          </div>
        </details>
      )}
    </>
  );
}

function Links({ lines }: { lines: LinksContent['lines'] }) {
  const rest = lines.slice(shownLines);
  return (
    <>
      <LinkLines lines={lines.slice(0, shownLines)} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <LinkLines lines={rest} />
        </details>
      )}
    </>
  );
}

function LinkLines({ lines }: { lines: LinksContent['lines'] }) {
  return (
    <>
      {lines.map(({ text, href }, place) => (
        <div key={place} class="gist">
          {href === undefined ? <bdi>{text}</bdi> : <Link href={href} text={text} />}
        </div>
      ))}
    </>
  );
}

function Link({ href, text }: { href: string; text: string }) {
  return (
    <a href={href} rel="noreferrer">
      <bdi>{text}</bdi>
    </a>
  );
}
