import type { LinkLine } from '../../../codes/content/content-type.ts';
import { contentKind, parseContent } from '../../../codes/content/content-types.ts';
import type { QrCode } from '../../../codes/qr-code.ts';

/** About as much as the style sheet shows of a text. */
const shownLines = 4;
const shownCharacters = 120;

/** The content of a code in short. Passwords are shown only in the form. */
export function ContentFacts({ code }: { code: Pick<QrCode, 'type' | 'content'> }) {
  const parsed = parseContent(code.type, code.content);
  return (
    <>
      {contentKind(parsed.kind)
        .facts(parsed, code)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <LongText text={value} /> : <Links lines={value} />}</dd>
          </div>
        ))}
    </>
  );
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

function Links({ lines }: { lines: LinkLine[] }) {
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

function LinkLines({ lines }: { lines: LinkLine[] }) {
  return (
    <>
      {lines.map(({ text, href }, index) => (
        <div key={index} class="gist">
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
