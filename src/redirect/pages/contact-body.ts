import type { ContactContent } from '../../codes/content/code-content.ts';
import { formatPhoneNumber } from '../../codes/content/international-number.ts';
import type { Translation } from '../languages/translation.ts';
import { html, type Markup } from './html.ts';
import { actions, fact, facts, linkedText, storedLink, storedText, textFact } from './parts.ts';

/** The name of the person, rather than the name of the code. */
export function contactTitle(content: ContactContent, codeName: string): string {
  return content.name.trim() || content.organization.trim() || codeName;
}

export function contactBody(
  content: ContactContent,
  ownPath: string,
  translation: Translation,
  photoHref?: string,
): Markup {
  const { name, organization, title, phones, emails, links, addresses, birthday, note } = content;
  // Without a name, the organization is the title already.
  const roles = [title, name.trim() ? organization : ''].filter((role) => role.trim() !== '');
  // The name is beside it.
  const photo = photoHref && html`<img class="photo" src="${photoHref}" width="128" height="128" alt="">`;
  return html`${photo}${roles.map((role) => html`<p class="quiet" dir="auto">${role}</p>`)}
${actions(html`<a class="button primary" href="${ownPath}.vcf" download>${translation.saveContact}</a>`)}
${facts(
  fact(
    translation.phone,
    phones.map(({ number, href, label }) =>
      labeled(storedLink(formatPhoneNumber(number), href), label, translation),
    ),
  ),
  fact(
    translation.email,
    emails.map(({ address, href, label }) => labeled(storedLink(address, href), label, translation)),
  ),
  fact(
    translation.website,
    links.map(({ text, href }) => storedLink(text, href)),
  ),
  fact(
    translation.address,
    addresses.map((lines) => storedText(lines.join('\n'))),
  ),
  textFact(translation.birthday, birthdayIn(translation.lang, birthday)),
  note === ''
    ? undefined
    : fact(translation.note, [html`<div class="stored" dir="auto">${linkedText(note)}</div>`]),
)}`;
}

function labeled(value: Markup, label: string, translation: Translation): Markup {
  return label.trim() === ''
    ? value
    : html`${value}<small dir="auto">${translated(label, translation)}</small>`;
}

/** Common vCard labels are translated ("Work fax"); others are shown as they are. */
function translated(label: string, { labels }: Translation): string {
  const names = label
    .trim()
    .split(' ')
    .map((word) => word.toLowerCase());
  const known = new Map<string, string>(Object.entries(labels));
  return names.every((name) => known.has(name)) ? names.map((name) => known.get(name)).join(', ') : label;
}

/** Formats 1990-12-10, or --12-10 without a year, for the language of the page. */
function birthdayIn(lang: string, birthday: string): string {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? [];
  if (year === undefined) return birthday;
  // A leap year, so that February 29 exists.
  const date = new Date(`${year === '-' ? '2000' : year}-${month}-${day}T00:00:00Z`);
  if (date.getUTCDate() !== Number(day)) return birthday;
  return dateFormat(lang, year !== '-').format(date);
}

// Cached, because creating one takes longer than rendering the rest of the page.
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(lang: string, hasYear: boolean): Intl.DateTimeFormat {
  const key = `${lang} ${hasYear}`;
  const known = dateFormats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(lang, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'long',
    ...(hasYear && { year: 'numeric' }),
  });
  dateFormats.set(key, made);
  return made;
}
