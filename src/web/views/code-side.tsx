import type { QrCode } from '../../codes/qr-code.ts';
import { DuplicateForm, VisibilityForm } from './code-actions.tsx';
import type { CodeProps } from './code-props.ts';
import { ContentFacts } from './content-facts.tsx';
import { CopyButton, CopyStatus } from './copy-button.tsx';
import { Moment } from './moment.tsx';

/** The code itself, beside its scans: picture, share link, what it holds, and what can be done with it. */
export function CodeSide({ code, isExpired, address, warnings }: CodeProps) {
  const picture = `/codes/${code.id}/picture`;
  return (
    <section class="card code-side" aria-label="This code">
      <img src={`${picture}.svg`} width="200" height="200" alt={`QR code of ${code.name}`} />
      <div>
        <label for="share-link">Share link</label>
        <div class="row">
          <input id="share-link" class="code" value={address} readOnly />
          <CopyButton of="share-link" name="Copy link" />
        </div>
        <CopyStatus />
        {warnings.length > 0 && (
          <div class="notice bad">
            <strong>This code may not work everywhere</strong>
            <ul>
              {warnings.map((warning) => (
                <li key={warning}>{inPlainWords(warning)}</li>
              ))}
            </ul>
          </div>
        )}
        <dl class="facts">
          <ContentFacts code={code} />
          <div>
            <dt>Created</dt>
            <dd>
              <Moment of={code.createdAt} />
            </dd>
          </div>
          <div>
            <dt>{isExpired ? 'Worked until' : 'Works until'}</dt>
            <dd>
              <Moment of={code.expiresAt} />
            </dd>
          </div>
        </dl>
        <Downloads picture={picture} />
        <Actions code={code} />
      </div>
    </section>
  );
}

function Downloads({ picture }: { picture: string }) {
  return (
    <div class="downloads">
      <p>
        <span>Download</span> <a href={`${picture}.svg?download`}>SVG</a>{' '}
        <a href={`${picture}.png?download`}>PNG</a>
      </p>
      <details>
        <summary>Picture of the content itself</summary>
        <p class="hint">
          For where there is no internet, or when this service should not be needed. Its scans are not
          counted, and it cannot be changed once it is printed.
        </p>
        <p>
          <span>Download</span>{' '}
          <a href={`${picture}.svg?download&encode=content`} aria-label="SVG of the content itself">
            SVG
          </a>{' '}
          <a href={`${picture}.png?download&encode=content`} aria-label="PNG of the content itself">
            PNG
          </a>
        </p>
      </details>
    </div>
  );
}

function Actions({ code }: { code: QrCode }) {
  return (
    <div class="code-actions">
      <a class="button quiet" href={`/codes/${code.id}/edit`}>
        Edit
      </a>
      <DuplicateForm code={code} look="quiet" />
      <VisibilityForm code={code} look="quiet" back={`/codes/${code.id}`} />
      <a class="button quiet danger" href={`/codes/${code.id}/delete`}>
        Delete
      </a>
    </div>
  );
}

/** The sentences are written for headers and programs, and name the fields as those do. */
function inPlainWords(warning: string): string {
  return warning
    .replace('With encode=content: ', 'The picture of the content itself: ')
    .replaceAll('foregroundColor', 'foreground colour')
    .replaceAll('backgroundColor', 'background colour')
    .replaceAll('errorCorrection', 'error correction');
}
