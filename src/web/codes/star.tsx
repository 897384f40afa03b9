import { renderToString } from 'preact-render-to-string';
import type { QrCode } from '../../codes/qr-code.ts';
import { Form } from '../ui/layout.tsx';

type Starred = Pick<QrCode, 'name' | 'isFavorite'>;

/** Adds a code to the favorites or removes it. star.browser.js does it without leaving the page. */
export function Star({ code, back }: { code: QrCode; back: string }) {
  return (
    <Form action={`/codes/${code.id}/favorite`} class="star-form">
      <input type="hidden" name="back" value={back} />
      <span class="star-state">
        <StarState code={code} />
      </span>
    </Form>
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
        {isFavorite ? '★' : '☆'}
      </button>
    </>
  );
}

/** What star.browser.js puts in the place of the old state. */
export function starHtml(code: Starred): string {
  return renderToString(<StarState code={code} />);
}
