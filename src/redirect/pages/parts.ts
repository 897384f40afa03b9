import type { Words } from '../languages/words.ts';
import { html, type Markup } from './html.ts';

/** What a link may lead to. Whoever reads the content sees to it too; here nothing else is ever made into a link. */
const linkable = /^(?:https?|tel|sms|mailto|geo):/i;

export function isLinkable(href: string | undefined): href is string {
  return href !== undefined && linkable.test(href);
}

/** A stored text that leads somewhere: onto another site without a trace of this one. */
export function storedLink(text: string, href: string | undefined): Markup {
  if (!isLinkable(href)) return storedText(text);
  return html`<a href="${href}" rel="noopener noreferrer nofollow"><bdi>${undirected(text)}</bdi></a>`;
}

/** Without the marks that turn text around: an address must read as what it is. */
export function undirected(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

/** Set in the direction of its own script, with its own line breaks. */
export function storedText(text: string): Markup {
  return html`<div class="stored" dir="auto">${text}</div>`;
}

interface ButtonOptions {
  isPrimary?: boolean;
  /** The script follows it once when the page opens. */
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

/** Copies the text of the element with that id. The script shows it; without one the element can be selected as a whole. */
export function copyButton(label: string, id: string, words: Words): Markup {
  return html`<button class="button primary" type="button" data-copy="${id}" data-copied="${words.copied}" data-marked="${words.marked}" hidden>${label}</button>
<span class="unseen" id="said" role="status"></span>`;
}

export function actions(...buttons: Markup[]): Markup {
  return html`<div class="actions">${buttons}</div>`;
}

/** A name and its values, for a `dl`; nothing where there is no value. */
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
