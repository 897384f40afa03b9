import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { parseContent } from '../../../codes/content/parse-content.ts';
import { fitsSymbol } from '../../../codes/image/symbol.ts';
import type { SharePreview } from '../../../codes/share-preview.ts';
import { createDefaults } from '../../api/qr-code-shapes.ts';
import type { PageParts } from '../../ui/page.ts';
import { typeNames } from '../code-types.ts';
import { contentOf } from './form-body.ts';
import { pageBodyOf } from './page-body.ts';
import type { FormInput } from './read-form.ts';

/**
 * For the style of previews. The form and the previews that its script requests later have the same CSRF token, and so the
 * same nonce.
 */
export function previewNonce(csrfToken: string): string {
  return createHash('sha256').update(`preview ${csrfToken}`).digest('base64url');
}

/** What a scan of the form's code would show. */
export async function formPreview(
  ctx: Context,
  { images, previewShare }: Pick<PageParts, 'images' | 'previewShare'>,
  { type, values, isRaw }: FormInput,
  csrfToken: string,
): Promise<SharePreview> {
  const content = contentOf(type, values, isRaw);
  return previewShare({
    name: values['name']?.trim() || typeNames[type],
    type,
    content,
    look: pageBodyOf(values),
    acceptLanguage: ctx.get('Accept-Language'),
    styleNonce: previewNonce(csrfToken),
    joinPicture: type === 'wifi' ? await drawJoinPicture(images, content) : undefined,
  });
}

async function drawJoinPicture(images: PageParts['images'], content: string): Promise<string | undefined> {
  const { errorCorrection, foregroundColor, backgroundColor } = createDefaults;
  // The length first: longer content is not parsed.
  if (!fitsSymbol(content, errorCorrection) || parseContent('wifi', content).kind !== 'wifi')
    return undefined;
  const picture = { text: content, size: 256, errorCorrection, foregroundColor, backgroundColor };
  // Without the picture, the rest of the preview is still worth showing.
  const drawn = await images.draw(picture, 'svg').catch(() => undefined);
  return drawn && `data:image/svg+xml;base64,${Buffer.from(drawn.body).toString('base64')}`;
}
