import type { LinksContent } from '../../codes/content/code-content.ts';
import { html, type Markup } from './html.ts';
import { isLinkable, storedText } from './parts.ts';
import { serviceName } from './service-name.ts';

/** A button for each link; other lines stay between them as text. */
export function linksBody({ lines }: LinksContent): Markup {
  const shown = lines
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, href }) => (isLinkable(href) ? { href, name: serviceName(href) } : { text }));
  const names = shown.map(({ name }) => name);
  const items = shown.map(({ text, href, name }) => {
    if (href === undefined) return storedText(text);
    return addressButton(href, name, names.indexOf(name) !== names.lastIndexOf(name));
  });
  return html`<ul class="links">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** Screen readers read the address after the name; it is visible if two buttons have the same name. */
function addressButton(href: string, name: string, isAmbiguous: boolean): Markup {
  const address = isAmbiguous
    ? html`<small dir="ltr">${href.replace(/^https?:\/\//, '')}</small>`
    : html`<span class="unseen">${href}</span>`;
  return html`<a class="button" href="${href}" title="${href}" rel="noopener noreferrer nofollow"><bdi>${name}</bdi> ${address}</a>`;
}
