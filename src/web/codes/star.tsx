import type { QrCode } from '../../codes/qr-code.ts';
import { Form } from '../ui/layout.tsx';

/** Marks a code as a favorite, or takes the mark away. star.js does it in place. */
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
