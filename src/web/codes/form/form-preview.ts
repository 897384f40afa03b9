import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { QrCode } from '../../../codes/qr-code.ts';
import type { SharePreview } from '../../../codes/share-page.ts';
import { callerOf } from '../../middleware/caller.ts';
import type { PageParts } from '../../ui/page.ts';
import { typeNames } from '../code-types.ts';
import { contentOf } from './form-body.ts';
import { pageBodyOf } from './page-body.ts';
import { previewPictures } from './preview-pictures.ts';
import type { FormInput } from './read-form.ts';

/**
 * For the style of previews. The form and the previews that its script requests later have the same CSRF token, and so the
 * same nonce.
 */
export function previewNonce(csrfToken: string): string {
  return createHash('sha256').update(`preview ${csrfToken}`).digest('base64url');
}

/** What a scan of the form's code would show. A new code is not stored yet. */
export async function formPreview(
  ctx: Context,
  parts: PageParts,
  { type, values, isRaw }: FormInput,
  { csrfToken, code }: { csrfToken: string; code: QrCode | undefined },
): Promise<SharePreview> {
  const content = contentOf(type, values, isRaw);
  return parts.previewShare({
    name: values['name']?.trim() || typeNames[type],
    type,
    content,
    look: pageBodyOf(values),
    acceptLanguage: ctx.get('Accept-Language'),
    styleNonce: previewNonce(csrfToken),
    pictures: await previewPictures(parts, callerOf(ctx), { type, content }, code),
  });
}
