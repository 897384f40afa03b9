import type { LinksContent } from '../../codes/content/code-content.ts';
import { html, type Markup } from './html.ts';
import { icon } from './icons.ts';
import { isLinkable, storedText, undirected } from './parts.ts';
import { serviceIcon, serviceName } from './service-name.ts';

/** A button for each link; other lines stay between them as text. */
export function linksBody({ lines }: LinksContent): Markup {
  const shown = lines
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, href, label }) =>
      isLinkable(href) ? { href, name: serviceName(href), label: undirected(label ?? '').trim() } : { text },
    );
  const names = shown.map(({ name }) => name);
  const items = shown.map(({ text, href, name, label }) => {
    if (href === undefined) return storedText(text);
    // A label says nothing about where the link leads, so the address is shown with it.
    const isAmbiguous = label !== '' || names.indexOf(name) !== names.lastIndexOf(name);
    return addressButton(href, label || name, isAmbiguous);
  });
  return html`<ul class="links">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** Screen readers read the address after the name; it is visible if two buttons have the same name. */
function addressButton(href: string, name: string, isAmbiguous: boolean): Markup {
  const address = isAmbiguous
    ? html`<small dir="ltr">${href.replace(/^https?:\/\//, '')}</small>`
    : html`<span class="unseen">${href}</span>`;
  return html`<a class="button" href="${href}" title="${href}" rel="noopener noreferrer nofollow">${icon(serviceIcon(href))}<span><bdi>${name}</bdi> ${address}</span></a>`;
}
