import { type CodeContent, contentKind, parseContent } from '../../codes/content/content-types.ts';
import type { PageLogo, PageLook, PreviewPictures, PreviewShare } from '../../codes/share-page.ts';
import { type Translation, chooseTranslation } from '../translations.ts';
import { type Accent, accentOf, logoPicture, pageLogoAt } from './own-look.ts';
import { type Markup, html, isLinkable, linkedText, storedLink, storedText, undirected } from './html.ts';
import { ourBrand, type Brand } from '../../brand.ts';
import { icon, linkList } from './service-links.ts';
import type { Button, FactValue, MapsApp, PageFact, PagePart } from '../../codes/content/content-type.ts';
import { maxContentBytes } from '../../codes/content/plain-text.ts';
import { type PageSite, layout } from './layout.ts';

interface ContentView extends PageSite {
  /** Empty if it is not public. */
  name: string;
  token: string;
  content: CodeContent;
  translation: Translation;
  /** The id of the photo of a contact. */
  photo?: string | undefined;
  mapsApp?: MapsApp;
  reportHref?: string | undefined;
  look?: PageLook;
  pageLogo?: PageLogo | null;
  accent?: Accent | undefined;
  previewNonce?: string | undefined;
  /** In a preview, instead of pictures that have an address. */
  pictures?: PreviewPictures;
}

/** The content of a code for the person who scanned it, with one clear action. */
export function contentPage(view: ContentView): string {
  const { name, content, translation, look, accent, reportHref, previewNonce, mapsApp = 'none' } = view;
  const { basePath = '', brand = ourBrand } = view;
  const { label, title: titleOf, heading, page } = contentKind(content.kind);
  const { language } = translation;
  const own = titleOf?.(content) || name;
  const given = look?.title ?? (own || heading?.(content) || undefined);
  const title = undirected(given ?? label[language]);
  // A title that the owner chose replaces the content's own, which is shown below it.
  const replaced =
    titleOf && look?.title && own ? html`<p class="value long" dir="auto">${own}</p>` : undefined;
  const parts = page(content, { language, mapsApp }).map((part) => part && render(part, view));
  return layout(
    translation,
    title,
    html`${logoOf(view)}<p class="kind">${icon(content.kind)}${given && label[language]}</p>
<h1 dir="auto">${title}</h1>
${look?.text ? html`<p dir="auto">${undirected(look.text)}</p>` : undefined}${replaced}
${parts.map((part, index) => (index === 0 ? part : html`\n${part}`))}`,
    { basePath, brand, accent, reportHref, previewNonce },
  );
}

function logoOf({ pageLogo, pictures, token, basePath = '' }: ContentView): Markup | undefined {
  return logoPicture(pictures?.logo ?? (pageLogo && pageLogoAt(pageLogo, token, basePath)));
}

const pictureSize = 240;

function render(part: PagePart, view: ContentView): Markup | undefined {
  const { token, pictures, basePath = '' } = view;
  switch (part.part) {
    case 'value':
      return html`<p class="value" dir="auto">${part.text}</p>`;
    case 'digits':
      return html`<p class="${part.look}"><bdi dir="ltr">${part.text}</bdi></p>`;
    case 'quiet':
      return html`<p class="quiet"${part.direction && html` dir="${part.direction}"`}>${part.text}</p>`;
    case 'addresses':
      return html`${part.addresses.map((address) => html`<p class="value long"><bdi>${breakable(address)}</bdi></p>`)}`;
    case 'person': {
      const src = pictures?.photo ?? (view.photo && `${basePath}/f/${token}/photo.jpg?${view.photo}`);
      // The alternative is empty because the name is beside it.
      const photo = src && html`<img class="photo" src="${src}" width="128" height="128" alt="">`;
      return html`${photo}${part.roles.map((role) => html`<p class="quiet" dir="auto">${role}</p>`)}`;
    }
    case 'actions':
      return html`<div class="actions">${part.buttons.map((button) => renderButton(button, view))}</div>`;
    case 'facts': {
      const rows = part.facts.flatMap((fact) => (fact && fact.values.length > 0 ? renderFact(fact) : []));
      return rows.length > 0 ? html`<dl>${rows}</dl>` : undefined;
    }
    case 'text':
      return html`<div class="stored box" id="text" dir="auto">${linkedText(part.text)}</div>`;
    case 'links':
      return linkList(part.lines);
    case 'direct code':
      return html`<div class="join">
<img src="${pictures?.join ?? `${basePath}/r/${token}.svg?encode=content`}" width="${pictureSize}" height="${pictureSize}" alt="${part.alt}">
<p>${part.text}</p>
${part.more && html`<p class="quiet">${part.more}</p>`}
</div>`;
  }
}

function renderButton(button: Button, { token, basePath = '', translation }: ContentView): Markup {
  const { label } = button;
  if ('file' in button)
    return html`<a class="button primary" href="${basePath}/r/${token}.${button.file}" download>${label}</a>`;
  if ('copies' in button)
    // Hidden without JavaScript: the text can be selected instead.
    return html`<button class="button primary" type="button" data-copy="${button.copies}" data-copied="${translation.copied}" data-marked="${translation.marked}" hidden>${label}</button>
<span class="unseen" id="said" role="status"></span>`;
  if (!isLinkable(button.href)) return html``;
  // The script opens it once when the page loads.
  const opening = button.opensAtOnce ? html` data-open` : undefined;
  return html`<a class="button${button.isSecondary ? '' : ' primary'}" href="${button.href}" rel="noopener noreferrer nofollow"${opening}>${label}</a>`;
}

function renderFact({ name, values }: PageFact): Markup {
  return html`<div><dt>${name}</dt>${values.map((value) => html`<dd>${renderValue(value)}</dd>`)}</div>`;
}

function renderValue({ text, href, note, look }: FactValue): Markup {
  if (look === 'secret') return html`<code class="secret" id="password" dir="ltr">${text}</code>`;
  if (look === 'linked') return html`<div class="stored" dir="auto">${linkedText(text)}</div>`;
  return html`${href === undefined ? storedText(text) : storedLink(text, href)}${note && html`<small dir="auto">${note}</small>`}`;
}

/** Lets a long address wrap before its host. */
function breakable(address: string): Markup {
  const host = Math.max(address.lastIndexOf('@'), 0);
  return html`${address.slice(0, host)}<wbr>${address.slice(host)}`;
}

const maxUserAgentLength = 500;
/** An iPad identifies itself as a Macintosh. */
const appleDevices = ['iphone', 'ipad', 'ipod', 'macintosh'];

export function mapsAppOf(userAgent: string | undefined): MapsApp {
  const text = (userAgent ?? '').slice(0, maxUserAgentLength).toLowerCase();
  if (text.includes('android')) return 'android';
  return appleDevices.some((device) => text.includes(device)) ? 'apple' : 'none';
}

/** Links do nothing in a preview, and there is no script. */
export const createPreviewShare =
  (brand: Brand): PreviewShare =>
  (input) => {
    const { name, type, content, look, acceptLanguage, styleNonce, pictures } = input;
    if (content.trim() === '' || Buffer.byteLength(content) > maxContentBytes) return undefined;
    const parsed = parseContent(type, content);
    if (parsed.kind === 'link') return { href: parsed.href };
    const page = contentPage({
      name,
      token: '',
      content: parsed,
      look,
      accent: accentOf(look.color ?? brand.color),
      brand,
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
