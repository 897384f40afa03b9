import { renderToString } from 'preact-render-to-string';
import type { QrCode } from '../../codes/qr-code.ts';
import { Icon } from '../ui/icons.tsx';
import { Confirmation, Form } from '../ui/layout.tsx';
import { Needs, useMay } from '../ui/visitor.ts';

type Starred = Pick<QrCode, 'name' | 'isFavorite'>;

/** Adds a code to the favorites or removes it. star.browser.js does it without leaving the page. */
export function Star({ code, back }: { code: QrCode; back: string }) {
  const may = useMay();
  if (!may('editor')) return code.isFavorite ? <FavoriteMark /> : null;
  return (
    <Form action={`/codes/${code.id}/favorite`} class="star-form">
      <input type="hidden" name="back" value={back} />
      <span class="star-state">
        <StarState code={code} />
      </span>
    </Form>
  );
}

function FavoriteMark() {
  return (
    <span class="star" role="img" aria-label="Favorite" title="Favorite">
      <Icon name="star" />
    </span>
  );
}

function StarState({ code: { name, isFavorite } }: { code: Starred }) {
  return (
    <>
      <input type="hidden" name="isFavorite" value={String(!isFavorite)} />
      <button
        type="submit"
        class="star"
        aria-label={`Favorite: ${name}`}
        aria-pressed={isFavorite ? 'true' : 'false'}
        title={isFavorite ? 'Remove from favorites' : 'Add to favorites'}
      >
        <Icon name="star" />
      </button>
    </>
  );
}

/** Replaces the old state in star.browser.js. */
export function starHtml(code: Starred): string {
  return renderToString(<StarState code={code} />);
}

/** Actions without a form of their own, in the list and on the page of a code. */
interface ActionProps {
  code: QrCode;
  /** The class of the button. */
  look: 'link' | 'quiet';
}

export function DuplicateForm({ code, look }: ActionProps) {
  return (
    <Needs access="editor">
      <Form action={`/codes/${code.id}/duplicate`}>
        <button type="submit" class={look}>
          <Icon name="copy-plus" />
          Duplicate
        </button>
      </Form>
    </Needs>
  );
}

interface RenewProps {
  code: QrCode;
  back: string;
  look: 'quiet' | 'solid';
}

/** For a code that has expired, or will soon. */
export function RenewForm({ code, back, look }: RenewProps) {
  return (
    <Needs access="editor">
      <Form action={`/codes/${code.id}/renew`}>
        <input type="hidden" name="back" value={back} />
        <button type="submit" class={look === 'solid' ? undefined : look}>
          Renew
        </button>
      </Form>
    </Needs>
  );
}

/** Asks before a code expires at once. */
export function ExpireCodeView({ code }: { code: QrCode }) {
  return (
    <Confirmation
      title="Expire now"
      at="/codes"
      action={`/codes/${code.id}/expire`}
      button="Expire now"
      keep={`/codes/${code.id}`}
    >
      Expire{' '}
      <strong>
        <bdi>{code.name}</bdi>
      </strong>{' '}
      now? Its share link then{' '}
      {code.afterExpiryUrl === null
        ? 'shows that it has expired'
        : 'leads to the address for after it expires'}
      , also where it is printed, and scans are not counted. You can renew it at any time.
    </Confirmation>
  );
}

interface VisibilityProps {
  code: QrCode;
  look: ActionProps['look'] | 'solid';
  back: string;
}

export function VisibilityForm({ code, look, back }: VisibilityProps) {
  return (
    <Needs access="editor">
      <Form action={`/codes/${code.id}/visibility`}>
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="isPublic" value={String(!code.isPublic)} />
        <button type="submit" class={look === 'solid' ? undefined : look}>
          <Icon name={code.isPublic ? 'eye-off' : 'eye'} />
          {code.isPublic ? 'Make private' : 'Make public'}
        </button>
      </Form>
    </Needs>
  );
}
