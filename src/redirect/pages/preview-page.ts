import { maxContentBytes } from '../../codes/content/capacity.ts';
import { parseContent } from '../../codes/content/parse-content.ts';
import type { PreviewShare } from '../../codes/share-page.ts';
import { chooseTranslation } from '../languages/choose-language.ts';
import { accentOf } from './accent.ts';
import { contentPage } from './content-page.ts';

/** Links do nothing in a preview, and there is no script. */
export const previewShare: PreviewShare = (input) => {
  const { name, type, content, look, acceptLanguage, styleNonce, pictures } = input;
  if (content.trim() === '' || Buffer.byteLength(content) > maxContentBytes) return undefined;
  const parsed = parseContent(type, content);
  if (parsed.kind === 'link') return { href: parsed.href };
  const page = contentPage({
    name,
    token: '',
    content: parsed,
    look,
    accent: accentOf(look.color),
    translation: chooseTranslation(acceptLanguage),
    mapsApp: 'android',
    previewNonce: styleNonce,
    pictures,
  });
  return { page: withoutActions(page) };
};

/**
 * A preview is looked at: links in it would leave the form, and buttons that the script would show are shown. Stored text
 * cannot match, because its quotes are escaped.
 */
function withoutActions(page: string): string {
  return page.replaceAll(' href="', ' data-href="').replaceAll('" hidden>', '">');
}
