import { VisibilityForm } from './detail/code-actions.tsx';
import type { CodeProps } from './detail/code-props.ts';

/** One at a time: what weighs most is what has to be mended first. */
export type CodeState = 'blocked' | 'expired' | 'private' | 'public';

const badges: Record<CodeState, [name: string, look: string]> = {
  blocked: ['Blocked', 'badge bad'],
  expired: ['Expired', 'badge bad'],
  private: ['Private', 'badge'],
  public: ['Public', 'badge good'],
};

/** Only while it is public does its share link work, and do scans count. */
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
  const [name, look] = badges[state];
  return <span class={look}>{name}</span>;
}

/** Why the share link shows nothing now, and what helps. */
export function StateNotice(props: CodeProps) {
  switch (stateOf(props)) {
    case 'blocked':
      return <BlockedNotice {...props} />;
    case 'expired':
      return (
        <div class="notice bad state">
          <div>
            <strong>This code has expired</strong>
            <p>Its share link says so, and scans are not counted. A later last day renews it.</p>
          </div>
          <a class="button" href={`/codes/${props.code.id}/edit#field-lastDay`}>
            Renew
          </a>
        </div>
      );
    case 'private':
      return <PrivateNotice {...props} />;
    case 'public':
      return null;
  }
}

function BlockedNotice({ abuseContact, abuseHref }: CodeProps) {
  return (
    <div class="notice bad">
      <strong>This code was blocked for abuse</strong>
      <p>
        Its share link leads nowhere, and scans are not counted.
        {abuseHref !== undefined && (
          <>
            {' '}
            If that is a mistake, write to <a href={abuseHref}>{abuseContact}</a>.
          </>
        )}
      </p>
    </div>
  );
}

/** Also what is said when it has just been made so. */
function PrivateNotice({ code, here, wasMadePrivate }: CodeProps) {
  return (
    <div class="notice plain state" role={wasMadePrivate ? 'status' : undefined}>
      <div>
        <strong>{wasMadePrivate ? 'The code is private now' : 'This code is private'}</strong>
        <p>Whoever opens its share link sees a “not found” page, and scans are not counted.</p>
      </div>
      <VisibilityForm code={code} look="solid" back={here} />
    </div>
  );
}
