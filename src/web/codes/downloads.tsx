import { contentKind, parseContent } from '../../codes/content/content-types.ts';
import type { QrCode } from '../../codes/qr-code.ts';

const formats = ['svg', 'png', 'pdf'] as const;
type Format = (typeof formats)[number];

/** Whether the code that holds the content itself is printed, rather than the share link. */
export function isDirectFirst(code: QrCode): boolean {
  return directHints(code) !== undefined;
}

function directHints({ type, content }: QrCode) {
  return contentKind(parseContent(type, content).kind).direct;
}

/** A direct picture holds the content itself instead of the share link. */
export function picturePath({ id }: QrCode, format: Format, isDirect: boolean): string {
  return `/codes/${id}/picture.${format}${isDirect ? '?encode=content' : ''}`;
}

/** Both pictures of a code as files, first the one that is usually printed. */
export function Downloads({ code }: { code: QrCode }) {
  const directFirst = isDirectFirst(code);
  return (
    <div class="downloads">
      <Files code={code} isDirect={directFirst} />
      <details>
        <summary>{nameOf(!directFirst)}</summary>
        <Files code={code} isDirect={!directFirst} isNamed />
      </details>
    </div>
  );
}

function nameOf(isDirect: boolean): string {
  return isDirect ? 'Static code' : 'Dynamic code';
}

interface FilesProps {
  code: QrCode;
  isDirect: boolean;
  /** The name is already above. */
  isNamed?: boolean;
}

function Files({ code, isDirect, isNamed = false }: FilesProps) {
  const name = nameOf(isDirect);
  return (
    <>
      {!isNamed && <span>Download {name.toLowerCase()}</span>}
      <p class="hint">{hintOf(code, isDirect)}</p>
      <div class="formats">
        {formats.map((format) => (
          <a
            key={format}
            class="button quiet"
            href={`${picturePath(code, format, isDirect)}${isDirect ? '&' : '?'}download`}
            aria-label={`Download ${name.toLowerCase()} as ${format.toUpperCase()}`}
          >
            {format.toUpperCase()}
          </a>
        ))}
      </div>
    </>
  );
}

export function hintOf(code: QrCode, isDirect: boolean): string {
  const direct = directHints(code);
  if (direct) return isDirect ? direct.hint : direct.linkHint;
  return isDirect
    ? 'Holds the content itself. Works offline and without this service. Scans are not counted. Cannot be changed after printing.'
    : 'Opens the share link. Scans are counted. You can change the content after printing.';
}
