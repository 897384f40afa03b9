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
import type { Words } from '../languages/words.ts';
import { contactBody, contactTitle } from './contact-body.ts';
import { html, type Markup } from './html.ts';
import { icon } from './icons.ts';
import { layout } from './layout.ts';
import { linksBody } from './links-body.ts';
import type { MapsApp } from './maps-app.ts';
import { actions, copyButton, facts, linkButton, textFact, undirected } from './parts.ts';
import { wifiBody } from './wifi-body.ts';

interface ContentView {
  name: string;
  token: string;
  content: CodeContent;
  words: Words;
  /** The path of BASE_URL, in front of every link to ourselves. */
  basePath?: string;
  mapsApp?: MapsApp;
  reportHref?: string | undefined;
}

/** What a code holds, for the person who scanned it: what it is, and one clear thing to do with it. */
export function contentPage(view: ContentView): string {
  const { name, content, words, reportHref } = view;
  const title = undirected(content.kind === 'contact' ? contactTitle(content, name) : name);
  return layout(
    words,
    title,
    html`<p class="kind">${icon(content.kind)}${words.kinds[content.kind]}</p>
<h1 dir="auto">${title}</h1>
${bodyOf(view)}`,
    reportHref,
  );
}

function bodyOf({ content, token, words, basePath = '', mapsApp = 'none' }: ContentView): Markup {
  const ownPath = `${basePath}/r/${token}`;
  switch (content.kind) {
    case 'link':
      return linkBody(content, words);
    case 'links':
      return linksBody(content);
    case 'phone':
      return phoneBody(content, words);
    case 'sms':
      return smsBody(content, words);
    case 'email':
      return emailBody(content, words);
    case 'geo':
      return geoBody(content, words, mapsApp);
    case 'wifi':
      return wifiBody(content, ownPath, words);
    case 'contact':
      return contactBody(content, ownPath, words);
    case 'text':
      return textBody(content, words);
  }
}

/** For whoever is not taken there by a redirect. */
function linkBody({ href }: LinkContent, words: Words): Markup {
  return html`<p class="quiet" dir="ltr">${href}</p>
${actions(linkButton(words.openLink, href))}`;
}

function phoneBody({ number, href }: PhoneContent, words: Words): Markup {
  return html`${numberLine(number)}
${actions(linkButton(words.call, href, { opensAtOnce: !isControlCode(href) }))}`;
}

/** `*#06#` and the like make the phone do something: only at a tap of its owner. */
function isControlCode(href: string): boolean {
  return /[*#]|%2[3a]/i.test(href);
}

function smsBody({ number, body, href }: SmsContent, words: Words): Markup {
  return html`${numberLine(number)}
${actions(linkButton(words.writeMessage, href, { opensAtOnce: true }))}
${facts(textFact(words.message, body))}`;
}

function emailBody({ to, cc, subject, body, href }: EmailContent, words: Words): Markup {
  return html`${to.map((address) => html`<p class="value long"><bdi>${breakable(address)}</bdi></p>`)}
${actions(linkButton(words.writeEmail, href, { opensAtOnce: true }))}
${facts(
  textFact(words.copyTo, cc.join('\n')),
  textFact(words.subject, subject),
  textFact(words.message, body),
)}`;
}

function geoBody(content: GeoContent, words: Words, mapsApp: MapsApp): Markup {
  const { latitude, longitude, label, mapHref } = content;
  const coordinates = html`<bdi dir="ltr">${formatDegrees(latitude)}, ${formatDegrees(longitude)}</bdi>`;
  // A place that is known by its name only stands at 0, 0.
  const isSearched = label !== '' && latitude === 0 && longitude === 0;
  const place = label
    ? html`<p class="value" dir="auto">${label}</p>
${isSearched ? undefined : html`<p class="quiet">${coordinates}</p>`}`
    : html`<p class="value">${coordinates}</p>`;
  const onMap = (isPrimary: boolean) => linkButton(words.showOnMap, mapHref, { isPrimary });
  if (mapsApp === 'none')
    return html`${place}
${actions(onMap(true))}`;
  // Apple's devices cannot do anything with geo: links.
  const href = mapsApp === 'apple' ? content.appleHref : content.href;
  return html`${place}
${actions(linkButton(words.openInMaps, href, { opensAtOnce: true }), onMap(false))}`;
}

function textBody({ text }: TextContent, words: Words): Markup {
  return html`<div class="stored box" id="text" dir="auto">${text}</div>
${actions(copyButton(words.copyText, 'text', words))}`;
}

/** Where an address is too long for a line, it goes on before its host. */
function breakable(address: string): Markup {
  const host = Math.max(address.lastIndexOf('@'), 0);
  return html`${address.slice(0, host)}<wbr>${address.slice(host)}`;
}

/** Large enough to be read out and dialled by hand; a text that is no number is set smaller. */
function numberLine(number: string): Markup | undefined {
  if (number === '') return undefined;
  return html`<p class="value${number.length > longestNumber ? ' long' : ''}"><bdi dir="ltr">${formatPhoneNumber(number)}</bdi></p>`;
}

const longestNumber = 24;
