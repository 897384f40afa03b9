import type { Language } from '../http/preferred-language.ts';
import { type Brand, readableAccents } from '../brand.ts';
import { colors } from '../theme.ts';
import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { pt } from './languages/pt.ts';
import { zh } from './languages/zh.ts';
import type { Draft, MailTexts } from './mail-texts.ts';

const texts: Record<Language, MailTexts> = { en, de, fr, es, pt, zh };

export interface MailSite {
  baseUrl: string;
  brand: Brand;
  supportContact: string | undefined;
}

type Link = { label: string; url: string };

export type DraftMail = (texts: MailTexts) => Draft;

/** Plain text and HTML of a mail. The HTML loads nothing, so that opening it tells nobody. */
export function composeMail(
  language: Language,
  site: MailSite,
  write: DraftMail,
  /** The page that switches off mails of this kind. */
  unsubscribeUrl?: string,
): { subject: string; text: string; html: string } {
  const own = texts[language];
  const draft = write(own);
  const footer = [
    own.sentBy(site.brand.name, site.baseUrl),
    ...(site.supportContact === undefined ? [] : [own.questions(site.supportContact)]),
    ...site.brand.mailFooter,
  ];
  const unsubscribe =
    unsubscribeUrl === undefined ? undefined : { label: own.notices.unsubscribe, url: unsubscribeUrl };
  return {
    // A name in a subject may contain a line break, which would end the header.
    subject: draft.subject.replace(/\s+/g, ' '),
    text: plainText(draft, footer, unsubscribe),
    html: html(language, draft, { footer, unsubscribe, buttonColor: buttonColorOf(site.brand) }),
  };
}

function plainText(
  { paragraphs, items = [], action, notes = [] }: Draft,
  footer: string[],
  unsubscribe?: Link,
): string {
  const list = items.map((item) => `- ${item}`).join('\n');
  const parts = [
    ...paragraphs,
    ...(list ? [list] : []),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...notes,
  ];
  const end = [...footer, ...(unsubscribe ? [`${unsubscribe.label}: ${unsubscribe.url}`] : [])];
  return `${parts.join('\n\n')}\n\n-- \n${end.join('\n')}\n`;
}

// Colors of the light theme: white on the dark accent is readable on a light and on a dark background.
const buttonColorOf = ({ color }: Brand) =>
  color === undefined ? colors.accent[0] : readableAccents(color).light;
const [buttonInk] = colors['accent-ink'];

// Mail programs drop style sheets, so styles are attributes. Colors are left to the program, which knows about dark mode.
function html(
  language: Language,
  { subject, paragraphs, items = [], action, notes = [] }: Draft,
  {
    footer,
    unsubscribe,
    buttonColor,
  }: { footer: string[]; unsubscribe: Link | undefined; buttonColor: string },
): string {
  const paragraph = (text: string) => `<p style="margin:0 0 16px">${escape(text)}</p>`;
  const list =
    items.length > 0
      ? [
          `<ul style="margin:0 0 16px;padding-left:24px">${items.map((item) => `<li>${escape(item)}</li>`).join('')}</ul>`,
        ]
      : [];
  const end = [
    ...footer.map(escape),
    ...(unsubscribe ? [`<a href="${escape(unsubscribe.url)}">${escape(unsubscribe.label)}</a>`] : []),
  ];
  const button =
    action &&
    `<p style="margin:24px 0"><a href="${escape(action.url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:${buttonColor};color:${buttonInk};font-weight:600;text-decoration:none">${escape(action.label)}</a></p>
<p style="margin:0 0 16px;font-size:14px;word-break:break-all"><a href="${escape(action.url)}">${escape(action.url)}</a></p>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(subject)}</title>
</head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escape(subject)}</h1>
${[...paragraphs.map(paragraph), ...list, ...(button ? [button] : []), ...notes.map(paragraph)].join('\n')}
<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #8888;font-size:14px">${end.join('<br>')}</p>
</div>
</body>
</html>
`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
