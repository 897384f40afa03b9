import { lastDayOf } from '../../codes/lifetime.ts';
import { Day } from '../ui/moment.tsx';
import { RenewForm, VisibilityForm } from './detail/code-actions.tsx';
import type { CodeProps } from './detail/code-props.ts';

/** Only the first that applies is shown: it has to be fixed first. */
export type CodeState = 'blocked' | 'expired' | 'private' | 'public';

const badges: Record<CodeState, [name: string, className: string]> = {
  blocked: ['Blocked', 'badge bad'],
  expired: ['Expired', 'badge bad'],
  private: ['Private', 'badge'],
  public: ['Public', 'badge good'],
};

/** The share link works and scans are counted only while it is public. */
export function stateOf({
  code,
  isExpired,
  isBlocked,
}: Pick<CodeProps, 'code' | 'isExpired' | 'isBlocked'>): CodeState {
  if (isBlocked) return 'blocked';
  if (isExpired) return 'expired';
  return code.isPublic ? 'public' : 'private';
}

export function StateBadge({ state }: { state: CodeState }) {
  const [name, className] = badges[state];
  return <span class={className}>{name}</span>;
}

/** Why the share link does not work, and how to fix it. */
export function StateNotice(props: CodeProps) {
  switch (stateOf(props)) {
    case 'blocked':
      return <BlockedNotice {...props} />;
    case 'expired':
      return (
        <div class="notice bad state">
          <div>
            <strong>This code has expired</strong>
            <p>
              Its share link{' '}
              {props.code.afterExpiryUrl === null
                ? 'shows that it has expired'
                : 'leads to the web address for the time after the end'}
              , and scans are not counted.
            </p>
          </div>
          <RenewForm code={props.code} back={props.here} look="solid" />
          <a class="button quiet" href={`/codes/${props.code.id}/edit#field-lastDay`}>
            Choose a last day
          </a>
        </div>
      );
    case 'private':
      return <PrivateNotice {...props} />;
    case 'public':
      return props.isEnding ? <EndingNotice {...props} /> : null;
  }
}

/** For owners who come from the email about it. */
function EndingNotice({ code, renewedFrom, here }: CodeProps) {
  return (
    <div class="notice plain state">
      <div>
        <strong>
          This code ends on <Day date={lastDayOf(code.expiresAt)} />
        </strong>
        <p>
          Then its share link{' '}
          {code.afterExpiryUrl === null
            ? 'stops working, also where it is printed.'
            : 'leads to the web address for the time after the end.'}
          {renewedFrom && ' A scan before that renews it.'}
        </p>
      </div>
      <RenewForm code={code} back={here} look="quiet" />
      <a class="button quiet" href={`/codes/${code.id}/edit#field-lastDay`}>
        Choose a last day
      </a>
    </div>
  );
}

function BlockedNotice({ abuseContact, abuseHref }: CodeProps) {
  return (
    <div class="notice bad">
      <strong>This code was blocked for abuse</strong>
      <p>
        Its share link does not work, and scans are not counted.
        {abuseHref !== undefined && (
          <>
            {' '}
            If this is a mistake, write to <a href={abuseHref}>{abuseContact}</a>.
          </>
        )}
      </p>
    </div>
  );
}

/** Also the message right after it was made private. */
function PrivateNotice({ code, here, wasMadePrivate }: CodeProps) {
  return (
    <div class="notice plain state" role={wasMadePrivate ? 'status' : undefined}>
      <div>
        <strong>{wasMadePrivate ? 'The code is private now' : 'This code is private'}</strong>
        <p>Its share link shows a “not found” page, and scans are not counted.</p>
      </div>
      <VisibilityForm code={code} look="solid" back={here} />
    </div>
  );
}
