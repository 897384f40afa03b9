import type {
  CodeContent,
  EmailContent,
  GeoContent,
  LinkContent,
  PhoneContent,
  SmsContent,
  TextContent,
} from '../../codes/content/code-content.ts';
import { groupedNumber } from '../../codes/content/phone-number.ts';
import type { Words } from '../languages/words.ts';
import { contactBody, contactTitle } from './contact-body.ts';
import { html, type Markup } from './html.ts';
import { icon } from './icons.ts';
import { layout } from './layout.ts';
import { linksBody } from './links-body.ts';
import { actions, copyButton, facts, linkButton, textFact, undirected } from './parts.ts';
import { wifiBody } from './wifi-body.ts';

interface ContentView {
  name: string;
  token: string;
  content: CodeContent;
  words: Words;
  reportHref?: string | undefined;
}

/** What a code holds, for the person who scanned it: what it is, and one clear thing to do with it. */
export function contentPage({ name, token, content, words, reportHref }: ContentView): string {
  const title = undirected(content.kind === 'contact' ? contactTitle(content, name) : name);
  return layout(
    words,
    title,
    html`<p class="kind">${icon(content.kind)}${words.kinds[content.kind]}</p>
<h1 dir="auto">${title}</h1>
${bodyOf(content, token, words)}`,
    reportHref,
  );
}

function bodyOf(content: CodeContent, token: string, words: Words): Markup {
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
      return geoBody(content, words);
    case 'wifi':
      return wifiBody(content, token, words);
    case 'contact':
      return contactBody(content, token, words);
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
${actions(linkButton(words.call, href, isControlCode(href) ? {} : { open: 'at-once' }))}`;
}

/** `*#06#` and the like make the phone do something: only at a tap of its owner. */
function isControlCode(href: string): boolean {
  return /[*#]|%2[3a]/i.test(href);
}

function smsBody({ number, body, href }: SmsContent, words: Words): Markup {
  return html`${numberLine(number)}
${actions(linkButton(words.writeMessage, href, { open: 'at-once' }))}
${facts(textFact(words.message, body))}`;
}

function emailBody({ to, cc, subject, body, href }: EmailContent, words: Words): Markup {
  return html`${to.map((address) => html`<p class="value long"><bdi>${breakable(address)}</bdi></p>`)}
${actions(linkButton(words.writeEmail, href, { open: 'at-once' }))}
${facts(
  textFact(words.copyTo, cc.join('\n')),
  textFact(words.subject, subject),
  textFact(words.message, body),
)}`;
}

function geoBody({ latitude, longitude, label, href, mapHref }: GeoContent, words: Words): Markup {
  const coordinates = html`<bdi dir="ltr">${degrees(latitude)}, ${degrees(longitude)}</bdi>`;
  // A place that is known by its name only stands at 0, 0.
  const isSearched = label !== '' && latitude === 0 && longitude === 0;
  const place = label
    ? html`<p class="value" dir="auto">${label}</p>
${isSearched ? undefined : html`<p class="quiet">${coordinates}</p>`}`
    : html`<p class="value">${coordinates}</p>`;
  // iPhones and desktops cannot do anything with geo: addresses.
  return html`${place}
${actions(
  linkButton(words.openInMaps, href, { open: 'android' }),
  linkButton(words.showOnMap, mapHref, { isPrimary: false }),
)}`;
}

/** Never as 1e-7. */
function degrees(value: number): string {
  return value.toFixed(7).replace(/\.?0+$/, '');
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
  return html`<p class="value${number.length > longestNumber ? ' long' : ''}"><bdi dir="ltr">${groupedNumber(number)}</bdi></p>`;
}

const longestNumber = 24;
