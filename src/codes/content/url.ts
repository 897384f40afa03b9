import { parseUrl } from '../../http/parse-url.ts';
import type { ContentType } from './content-type.ts';
import { type LinkContent, linkIcon, webHref, webHrefOfAddress } from './links.ts';
import { asText } from './plain-text.ts';

const texts = {
  open: {
    en: 'Open link',
    de: 'Link öffnen',
    fr: 'Ouvrir le lien',
    es: 'Abrir enlace',
    pt: 'Abrir link',
    zh: '打开链接',
  },
};

export const url = {
  name: 'Web address',
  parse: (content) => {
    const href = webHref(content);
    return href ? { kind: 'link', href } : asText(content);
  },
  form: {
    parts: [
      {
        name: 'content',
        label: 'Web address',
        inputMode: 'url',
        hint: 'The page that a scan opens, such as example.com/menu. https:// is added if you leave it out. You can change it after printing.',
      },
    ],
    compose: (given) => given('content'),
    errors: () => [],
  },
  keep: (given) => {
    const content = given('content');
    return { address: webHrefOfAddress(content) === undefined ? '' : content, text: content };
  },
  fill: ({ address }) => ({ content: address }),
  rule: (content) => {
    // The URL parser would strip these, but the printed code would contain them.
    if (hasControlCharacter(content) || content.trim() !== content)
      return 'must be a URL without line breaks, control characters or spaces around it';
    const parsed = parseUrl(content);
    if (!parsed) return 'must be an absolute http or https URL, such as https://example.com/';
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'must be an http or https URL';
    if (parsed.username || parsed.password) return 'must be a URL without a user name or password';
    return parsed.port === '0' ? 'must not have the port 0, on which nothing can answer' : undefined;
  },
  shown: {
    kind: 'link',
    label: { en: 'Link', de: 'Link', fr: 'Lien', es: 'Enlace', pt: 'Link', zh: '链接' },
    icon: linkIcon,
    heading: ({ href }) => parseUrl(href)?.host.replace(/^www\./, '') ?? '',
    /** For links that are not redirected. */
    page: ({ href }, { language }) => [
      { part: 'quiet', text: href, direction: 'ltr' },
      { part: 'actions', buttons: [{ label: texts.open[language], href }] },
    ],
    facts: ({ href }, { type, content }) => [['Leads to', [{ href, text: type === 'url' ? content : href }]]],
    links: ({ href }) => [href],
  },
  example: 'https://example.com/menu',
} satisfies ContentType<LinkContent>;

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
