import { opensFile } from '../../../codes/files/upload.ts';
import { isEndOfDay, lastDayOf } from '../../../codes/lifetime.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { DuplicateForm, VisibilityForm } from './code-actions.tsx';
import type { CodeProps } from './code-props.ts';
import { type CodeState, stateOf } from '../code-state.tsx';
import { ContentFacts } from './content-facts.tsx';
import { CopyableField } from '../../ui/copyable.tsx';
import { withFieldsInWords } from '../../ui/field-words.ts';
import { Downloads, isDirectFirst, picturePath } from '../downloads.tsx';
import { Day, Moment } from '../../ui/moment.tsx';

/** The code itself, beside its scans: picture, share link, content and actions. */
export function CodeSide(props: CodeProps) {
  const { code, address, warnings } = props;
  const state = stateOf(props);
  return (
    <section class="card code-side" aria-label="This code">
      <img
        src={picturePath(code, 'svg', isDirectFirst(code))}
        width="200"
        height="200"
        alt={`QR code of ${code.name}`}
      />
      <div>
        <CopyableField
          id="share-link"
          label="Share link"
          value={address}
          button="Copy link"
          quiet={state !== 'public'}
        />
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
              <Moment at={code.createdAt} />
            </dd>
          </div>
          <End {...props} />
          <AfterEnd {...props} />
        </dl>
        <Downloads code={code} />
        <Actions code={code} here={props.here} state={state} />
      </div>
    </section>
  );
}

/** A code that ends with a day (as the form sets it) shows that day: midnight would read as the day after. */
function End({ code: { expiresAt }, isExpired, renewedFrom }: CodeProps) {
  if (isEndOfDay(expiresAt))
    return (
      <div>
        <dt>Last day</dt>
        <dd>
          <Day date={lastDayOf(expiresAt)} /> (UTC)
          <RenewalHint from={renewedFrom} />
        </dd>
      </div>
    );
  return (
    <div>
      <dt>{isExpired ? 'Worked until' : 'Works until'}</dt>
      <dd>
        <Moment at={expiresAt} />
        <RenewalHint from={renewedFrom} />
      </dd>
    </div>
  );
}

/** A code without a chosen end works as long as it is used. */
function RenewalHint({ from }: { from: Date | undefined }) {
  if (!from) return null;
  return (
    <div class="hint">
      Renewed by scans from <Day date={from.toISOString().slice(0, 10)} /> on
    </div>
  );
}

function AfterEnd({ code: { afterExpiryUrl } }: CodeProps) {
  if (afterExpiryUrl === null) return null;
  return (
    <div>
      <dt>After the end</dt>
      <dd>
        <div class="gist">
          <a href={afterExpiryUrl} rel="noreferrer">
            <bdi>{afterExpiryUrl}</bdi>
          </a>
        </div>
      </dd>
    </div>
  );
}

function Actions({ code, here, state }: { code: QrCode; here: string; state: CodeState }) {
  return (
    <div class="code-actions">
      <a class="button quiet" href={`/codes/${code.id}/edit`}>
        Edit
      </a>
      {opensFile(code) && (
        <a class="button quiet" href={`/codes/${code.id}/file`}>
          File
        </a>
      )}
      {code.type === 'vcard' && (
        <a class="button quiet" href={`/codes/${code.id}/photo`}>
          Photo
        </a>
      )}
      <a class="button quiet" href={`/codes/${code.id}/design`}>
        Design
      </a>
      <a class="button quiet" href={`/codes/${code.id}/print`}>
        Print
      </a>
      <DuplicateForm code={code} look="quiet" />
      {/* For a private code, the notice above has this button. */}
      {state !== 'private' && <VisibilityForm code={code} look="quiet" back={here} />}
      <a class="button quiet danger" href={`/codes/${code.id}/delete`}>
        Delete
      </a>
    </div>
  );
}

/** Warnings are worded for the API. */
function inPlainWords(warning: string): string {
  return withFieldsInWords(warning.replace('With encode=content: ', 'The direct code: '));
}
