import { partsOfText } from '../../codes/content/text-links.ts';
import type { Translation } from '../languages/translation.ts';
import { html, type Markup } from './html.ts';

/** Allowed link schemes. Content parsers check them too; this is the last line of defense. */
const linkable = /^(?:https?|tel|sms|mailto|geo):/i;

export function isLinkable(href: string | undefined): href is string {
  return href !== undefined && linkable.test(href);
}

/** Stored text as a link, without a referrer. */
export function storedLink(text: string, href: string | undefined): Markup {
  if (!isLinkable(href)) return storedText(text);
  return html`<a href="${href}" rel="noopener noreferrer nofollow"><bdi>${undirected(text)}</bdi></a>`;
}

/** Removes characters that change the text direction, so that an address cannot be disguised. */
export function undirected(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

/** Keeps the direction of its script, and its line breaks. */
export function storedText(text: string): Markup {
  return html`<div class="stored" dir="auto">${text}</div>`;
}

/** With the addresses in it as links. Its text stays exactly as it is, for copying. */
export function linkedText(text: string): Markup {
  return html`${partsOfText(text).map((part) =>
    isLinkable(part.href)
      ? html`<a href="${part.href}" rel="noopener noreferrer nofollow"><bdi>${part.text}</bdi></a>`
      : part.text,
  )}`;
}

interface ButtonOptions {
  isPrimary?: boolean;
  /** The script opens it once when the page loads. */
  opensAtOnce?: boolean;
}

export function linkButton(
  label: string,
  href: string,
  { isPrimary = true, opensAtOnce = false }: ButtonOptions = {},
): Markup {
  if (!isLinkable(href)) return html``;
  const opening = opensAtOnce ? html` data-open` : undefined;
  return html`<a class="button${isPrimary ? ' primary' : ''}" href="${href}" rel="noopener noreferrer nofollow"${opening}>${label}</a>`;
}

/** Copies the text of the element with that id. Hidden without JavaScript: the text can be selected instead. */
export function copyButton(label: string, id: string, translation: Translation): Markup {
  return html`<button class="button primary" type="button" data-copy="${id}" data-copied="${translation.copied}" data-marked="${translation.marked}" hidden>${label}</button>
<span class="unseen" id="said" role="status"></span>`;
}

export function actions(...buttons: Markup[]): Markup {
  return html`<div class="actions">${buttons}</div>`;
}

/** A name and its values, for a `dl`; `undefined` without values. */
export function fact(name: string, values: Markup[]): Markup | undefined {
  if (values.length === 0) return undefined;
  return html`<div><dt>${name}</dt>${values.map((value) => html`<dd>${value}</dd>`)}</div>`;
}

export function textFact(name: string, text: string): Markup | undefined {
  return text === '' ? undefined : fact(name, [storedText(text)]);
}

export function facts(...rows: (Markup | undefined)[]): Markup | undefined {
  return rows.some((row) => row !== undefined) ? html`<dl>${rows}</dl>` : undefined;
}
