import type { ContentType } from './content-type.ts';
import { addressesAmong, linksOfText, webHrefOfAddress } from './links.ts';
import { asText, type TextContent } from './plain-text.ts';

const texts = {
  copy: {
    en: 'Copy text',
    de: 'Text kopieren',
    fr: 'Copier le texte',
    es: 'Copiar texto',
    pt: 'Copiar texto',
    zh: '复制文本',
  },
};

export const text = {
  name: 'Text',
  parse: asText,
  form: {
    parts: [{ name: 'content', label: 'Text', input: 'area' }],
    compose: (given) => given('content'),
    errors: () => [],
  },
  keep: (given) => {
    const content = given('content');
    const isAddress = webHrefOfAddress(content) !== undefined;
    return { address: isAddress ? content : '', message: isAddress ? '' : content, text: content };
  },
  fill: (kept) => ({ content: kept.text }),
  shown: {
    kind: 'text',
    label: { en: 'Text', de: 'Text', fr: 'Texte', es: 'Texto', pt: 'Texto', zh: '文本' },
    icon: ['M4 6h16M4 12h16M4 18h10'],
    page: (content, { language }) => [
      { part: 'text', text: content.text },
      { part: 'actions', buttons: [{ label: texts.copy[language], copies: 'text' }] },
    ],
    facts: (content) => [['Text', content.text]],
    mentions: (content) => [
      webHrefOfAddress(content.text.trim()) ?? '',
      ...addressesAmong(content.text),
      ...linksOfText(content.text),
    ],
  },
  example:
    'Brewing guide\n\n1. 15 g of coffee, ground medium.\n2. 250 ml of water at 94 °C.\n3. Bloom for 30 seconds, then pour slowly.\n4. Done after three minutes. Enjoy!',
} satisfies ContentType<TextContent>;
