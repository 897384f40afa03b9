import { opensFile } from '../../../codes/files/upload.ts';
import { isEndOfDay } from '../../../codes/lifetime.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { Version } from '../../../history/changes.ts';
import type { Analytics, CityCount } from '../../../scans/analytics.ts';
import type { GeoSource } from '../../../scans/geo-source.ts';
import { When, Who } from '../../history/actor.tsx';
import { Icon } from '../../ui/icons.tsx';
import { CopyableField } from '../../ui/copyable.tsx';
import { Moment } from '../../ui/time.tsx';
import { Needs, useMay } from '../../ui/visitor.ts';
import { withFieldsInWords } from '../../ui/words.tsx';
import { DuplicateForm, RenewForm, VisibilityForm } from '../code-actions.tsx';
import { type CodeState, stateOf } from '../code-state.tsx';
import { Downloads, isDirectFirst, picturePath } from '../downloads.tsx';
import { ContentFacts } from './content-facts.tsx';
import type { Period } from './period.ts';
import type { ScanLine } from './scan-line.tsx';

/** Everything that the page of a code shows. */
export interface CodeProps {
  code: QrCode;
  isExpired: boolean;
  /** Set if it expires soon. */
  expiresIn: string | undefined;
  /** It works, and its owner was or will be notified that it expires. */
  isExpiring: boolean;
  /** When scans begin to renew it; undefined if the owner chose when it expires, or it has expired. */
  renewedFrom: Date | undefined;
  /** An operator of the service blocked it. */
  isBlocked: boolean;
  abuseContact: string | undefined;
  abuseHref: string | undefined;
  /** The share link. */
  address: string;
  warnings: string[];
  /** The path of this page, for forms that return to it. */
  here: string;
  period: Period;
  /** Others to choose: the last days, then those with a name. */
  rolling: Period[];
  named: Period[];
  analytics: Analytics;
  cities: CityCount[];
  /** Days of the period on which what the code opens was changed. */
  changedDays: ReadonlySet<string>;
  latestChange: Version | undefined;
  now: Date;
  /** Scans in the preceding period of the same length. Undefined if the code did not exist then. */
  previousScans: number | undefined;
  geoSource: GeoSource | undefined;
  scans: ScanLine[];
  isFirstPage: boolean;
  /** The id of the last scan on this page, where there is another page. */
  olderThan: string | undefined;
  /** Shown together with the state, instead of the message. */
  wasMadePrivate: boolean;
}

/** The code itself, beside its scans: picture, share link, content and actions. */
export function CodeSide(props: CodeProps) {
  const { code, address, warnings } = props;
  return (
    <section class="card code-side" aria-label="This code">
      <img
        src={picturePath(code, 'svg', isDirectFirst(code))}
        width="200"
        height="200"
        alt={`QR code of ${code.name}`}
      />
      <div>
        <CopyableField id="share-link" label="Share link" value={address} button="Copy link" quiet />
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
        {/* Closed on phones only: the style sheet keeps it open on wide screens. */}
        <details class="more">
          <summary>Details and downloads</summary>
          <dl class="facts">
            <ContentFacts code={code} />
            <div>
              <dt>Created</dt>
              <dd>
                <Moment at={code.createdAt} />
              </dd>
            </div>
            <LatestChange {...props} />
            <Expiry {...props} />
            <AfterExpiry {...props} />
          </dl>
          <Downloads code={code} />
        </details>
      </div>
    </section>
  );
}

/** Shown from the first change on. */
function LatestChange({ code, latestChange, now }: CodeProps) {
  if (!latestChange || latestChange.action === 'created') return null;
  return (
    <div>
      <dt>Last change</dt>
      <dd>
        <When at={latestChange.at} now={now} /> by <Who change={latestChange} isWithin />
        <div>
          <a href={`/codes/${code.id}/history`}>See all changes</a>
        </div>
      </dd>
    </div>
  );
}

function Expiry({ code: { id, expiresAt }, isExpired, renewedFrom }: CodeProps) {
  return (
    <div>
      <dt>{isExpired ? 'Expired' : 'Expires'}</dt>
      <dd>
        <Moment at={lastMinuteOf(expiresAt)} />
        <RenewalHint from={renewedFrom} />
        {!isExpired && <ExpireLink id={id} />}
      </dd>
    </div>
  );
}

/** Forms set the end of a day in UTC: midnight would read as the day after. */
function lastMinuteOf(expiresAt: Date): Date {
  return isEndOfDay(expiresAt) ? new Date(expiresAt.getTime() - 60_000) : expiresAt;
}

function ExpireLink({ id }: { id: string }) {
  return (
    <Needs access="editor">
      <div>
        <a href={`/codes/${id}/expire`}>Expire now</a>
      </div>
    </Needs>
  );
}

/** A code whose owner did not choose when it expires works as long as it is used. */
function RenewalHint({ from }: { from: Date | undefined }) {
  if (!from) return null;
  return (
    <div class="hint">
      Renewed by scans from <Moment at={from} show="day" /> on
    </div>
  );
}

function AfterExpiry({ code: { afterExpiryUrl } }: CodeProps) {
  if (afterExpiryUrl === null) return null;
  return (
    <div>
      <dt>After it expires</dt>
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

interface ActionsProps {
  code: QrCode;
  here: string;
  state: CodeState;
}

/** What people do most is a button; the rest is in a menu. */
export function CodeActions({ code, here, state }: ActionsProps) {
  const path = `/codes/${code.id}`;
  const may = useMay();
  if (!may('editor or demo')) return <ViewerActions path={path} />;
  return (
    <div class="code-actions">
      <a class="button quiet" href={`${path}/design`}>
        <Icon name="palette" />
        Design
      </a>
      <a class="button quiet" href={`${path}/print`}>
        <Icon name="printer" />
        Print
      </a>
      {/* Otherwise the notice above has the next step. */}
      <a class={state === 'public' ? 'button' : 'button quiet'} href={`${path}/edit`}>
        <Icon name="pencil" />
        Edit
      </a>
      <details class="menu">
        <summary class="quiet" aria-label="More actions">
          <Icon name="ellipsis" />
        </summary>
        <div>
          {opensFile(code) && (
            <a href={`${path}/file`}>
              <Icon name="file-text" />
              File
            </a>
          )}
          {code.type === 'vcard' && (
            <a href={`${path}/photo`}>
              <Icon name="image" />
              Photo
            </a>
          )}
          <HistoryLink path={path} />
          <DuplicateForm code={code} look="link" />
          {/* For a private code, the notice above has this button. */}
          {state !== 'private' && <VisibilityForm code={code} look="link" back={here} />}
          <Needs access="editor">
            <a class="danger" href={`${path}/delete`} data-dialog>
              <Icon name="trash-2" />
              Delete
            </a>
          </Needs>
        </div>
      </details>
    </div>
  );
}

function HistoryLink({ path, look }: { path: string; look?: string }) {
  return (
    <a class={look} href={`${path}/history`}>
      <Icon name="clock" />
      History
    </a>
  );
}

function ViewerActions({ path }: { path: string }) {
  return (
    <div class="code-actions">
      <HistoryLink path={path} look="button quiet" />
      <a class="button quiet" href={`${path}/print`}>
        <Icon name="printer" />
        Print
      </a>
      <a class="button" href={`${path}/ready`}>
        <Icon name="download" />
        Download
      </a>
    </div>
  );
}

/** Warnings are worded for the API. */
function inPlainWords(warning: string): string {
  return withFieldsInWords(warning.replace('With encode=content: ', 'The static code: '));
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
                : 'leads to the address for after it expires'}
              , and scans are not counted.
            </p>
          </div>
          <RenewForm code={props.code} back={props.here} look="solid" />
          <ChangeExpiryLink code={props.code} />
        </div>
      );
    case 'private':
      return <PrivateNotice {...props} />;
    case 'public':
      return props.isExpiring ? <ExpiringNotice {...props} /> : null;
  }
}

/** For owners who come from the email about it. */
function ExpiringNotice({ code, renewedFrom, here }: CodeProps) {
  return (
    <div class="notice plain state">
      <div>
        <strong>
          This code expires on <Moment at={lastMinuteOf(code.expiresAt)} show="day" />
        </strong>
        <p>
          Then its share link{' '}
          {code.afterExpiryUrl === null
            ? 'stops working, also where it is printed.'
            : 'leads to the address for after it expires.'}
          {renewedFrom && ' A scan before that renews it.'}
        </p>
      </div>
      <RenewForm code={code} back={here} look="quiet" />
      <ChangeExpiryLink code={code} />
    </div>
  );
}

function ChangeExpiryLink({ code }: { code: QrCode }) {
  return (
    <Needs access="editor or demo">
      <a class="button quiet" href={`/codes/${code.id}/edit#field-lastDay`}>
        Change when it expires
      </a>
    </Needs>
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
