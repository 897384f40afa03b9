import type { QrCode } from '../../codes/qr-code.ts';
import { Form } from '../ui/layout.tsx';

/** Adds a code to the favorites or removes it. star.browser.js does it without leaving the page. */
export function Star({ code, back }: { code: QrCode; back: string }) {
  return (
    <Form action={`/codes/${code.id}/favorite`} class="star-form">
      <input type="hidden" name="back" value={back} />
      <input type="hidden" name="isFavorite" value={String(!code.isFavorite)} />
      <button
        type="submit"
        class="star"
        aria-label={`Favorite: ${code.name}`}
        aria-pressed={code.isFavorite ? 'true' : 'false'}
        title={code.isFavorite ? 'Remove from favorites' : 'Add to favorites'}
      >
        {code.isFavorite ? '★' : '☆'}
      </button>
    </Form>
  );
}
