import type {
  CodeContent,
  EmailContent,
  GeoContent,
  LinkContent,
  PhoneContent,
  SmsContent,
  TextContent,
} from '../../codes/content/code-content.ts';
import { formatDegrees } from '../../codes/content/coordinates.ts';
import { formatPhoneNumber } from '../../codes/content/international-number.ts';
import type { PageLogo, PageLook, PreviewPictures } from '../../codes/share-page.ts';
import type { Translation } from '../languages/translation.ts';
import type { Accent } from './accent.ts';
import { contactBody, contactTitle } from './contact-body.ts';
import { html, type Markup } from './html.ts';
import { icon } from './icons.ts';
import { layout } from './layout.ts';
import { linksBody } from './links-body.ts';
import type { MapsApp } from './maps-app.ts';
import { actions, copyButton, facts, linkButton, linkedText, textFact, undirected } from './parts.ts';
import { wifiBody } from './wifi-body.ts';

interface ContentView {
  name: string;
  token: string;
  content: CodeContent;
  translation: Translation;
  /** The path of BASE_URL, a prefix of every link to this service. */
  basePath?: string;
  /** The id of the photo of a contact. */
  photo?: string | undefined;
  mapsApp?: MapsApp;
  reportHref?: string | undefined;
  look?: PageLook;
  pageLogo?: PageLogo | null;
  accent?: Accent | undefined;
  previewNonce?: string | undefined;
  /** In a preview, instead of what has an address. */
  pictures?: PreviewPictures;
}

/** The content of a code for the person who scanned it, with one clear action. */
export function contentPage(view: ContentView): string {
  const { name, content, translation, look, accent, reportHref, previewNonce } = view;
  const own = content.kind === 'contact' ? contactTitle(content, name) : name;
  const title = undirected(look?.title ?? own);
  // A title of the owner's takes the place of the person's name, which is shown below it.
  const person =
    content.kind === 'contact' && look?.title ? html`<p class="value long" dir="auto">${own}</p>` : undefined;
  return layout(
    translation,
    title,
    html`${logoOf(view)}<p class="kind">${icon(content.kind)}${translation.kinds[content.kind]}</p>
<h1 dir="auto">${title}</h1>
${look?.text ? html`<p dir="auto">${undirected(look.text)}</p>` : undefined}${person}
${bodyOf(view)}`,
    { accent, reportHref, previewNonce },
  );
}

/** Its address changes with it, so that a cached one is not shown instead. */
function logoOf({ pageLogo, pictures, token, basePath = '' }: ContentView): Markup | undefined {
  const shown =
    pictures?.logo ??
    (pageLogo && {
      src: `${basePath}/r/${token}-logo.png?v=${pageLogo.logo.slice(0, 8)}`,
      alt: pageLogo.alt,
    });
  return shown ? html`<img class="logo" src="${shown.src}" alt="${undirected(shown.alt)}">\n` : undefined;
}

function bodyOf(view: ContentView): Markup {
  const { content, token, translation, pictures, basePath = '', mapsApp = 'none' } = view;
  const ownPath = `${basePath}/r/${token}`;
  switch (content.kind) {
    case 'link':
      return linkBody(content, translation);
    case 'links':
      return linksBody(content);
    case 'phone':
      return phoneBody(content, translation);
    case 'sms':
      return smsBody(content, translation);
    case 'email':
      return emailBody(content, translation);
    case 'geo':
      return geoBody(content, translation, mapsApp);
    case 'wifi':
      return wifiBody(content, pictures?.join ?? `${ownPath}.svg?encode=content`, translation);
    case 'contact':
      return contactBody(
        content,
        ownPath,
        translation,
        pictures?.photo ?? (view.photo && `${basePath}/f/${token}/photo.jpg?${view.photo}`),
      );
    case 'text':
      return textBody(content, translation);
  }
}

/** For links that are not redirected. */
function linkBody({ href }: LinkContent, translation: Translation): Markup {
  return html`<p class="quiet" dir="ltr">${href}</p>
${actions(linkButton(translation.openLink, href))}`;
}

function phoneBody({ number, href }: PhoneContent, translation: Translation): Markup {
  return html`${numberLine(number)}
${actions(linkButton(translation.call, href, { opensAtOnce: !isControlCode(href) }))}`;
}

/** Codes such as `*#06#` make the phone do something, so they are never dialed without a tap. */
function isControlCode(href: string): boolean {
  return /[*#]|%2[3a]/i.test(href);
}

function smsBody({ number, body, href }: SmsContent, translation: Translation): Markup {
  return html`${numberLine(number)}
${actions(linkButton(translation.writeMessage, href, { opensAtOnce: true }))}
${facts(textFact(translation.message, body))}`;
}

function emailBody({ to, cc, subject, body, href }: EmailContent, translation: Translation): Markup {
  return html`${to.map((address) => html`<p class="value long"><bdi>${breakable(address)}</bdi></p>`)}
${actions(linkButton(translation.writeEmail, href, { opensAtOnce: true }))}
${facts(
  textFact(translation.copyTo, cc.join('\n')),
  textFact(translation.subject, subject),
  textFact(translation.message, body),
)}`;
}

function geoBody(content: GeoContent, translation: Translation, mapsApp: MapsApp): Markup {
  const { latitude, longitude, label, mapHref } = content;
  const coordinates = html`<bdi dir="ltr">${formatDegrees(latitude)}, ${formatDegrees(longitude)}</bdi>`;
  // A place with a name but no coordinates is stored as 0, 0.
  const isSearched = label !== '' && latitude === 0 && longitude === 0;
  const place = label
    ? html`<p class="value" dir="auto">${label}</p>
${isSearched ? undefined : html`<p class="quiet">${coordinates}</p>`}`
    : html`<p class="value">${coordinates}</p>`;
  const onMap = (isPrimary: boolean) => linkButton(translation.showOnMap, mapHref, { isPrimary });
  if (mapsApp === 'none')
    return html`${place}
${actions(onMap(true))}`;
  // Apple devices do not support geo: links.
  const href = mapsApp === 'apple' ? content.appleHref : content.href;
  return html`${place}
${actions(linkButton(translation.openInMaps, href, { opensAtOnce: true }), onMap(false))}`;
}

function textBody({ text }: TextContent, translation: Translation): Markup {
  return html`<div class="stored box" id="text" dir="auto">${linkedText(text)}</div>
${actions(copyButton(translation.copyText, 'text', translation))}`;
}

/** Lets a long address wrap before its host. */
function breakable(address: string): Markup {
  const host = Math.max(address.lastIndexOf('@'), 0);
  return html`${address.slice(0, host)}<wbr>${address.slice(host)}`;
}

/** Large enough to read aloud and dial by hand; long values are set smaller. */
function numberLine(number: string): Markup | undefined {
  if (number === '') return undefined;
  return html`<p class="value${number.length > longestNumber ? ' long' : ''}"><bdi dir="ltr">${formatPhoneNumber(number)}</bdi></p>`;
}

const longestNumber = 24;
