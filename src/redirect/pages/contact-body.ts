import type { ContactContent } from '../../codes/content/code-content.ts';
import { formatPhoneNumber } from '../../codes/content/international-number.ts';
import type { Words } from '../languages/words.ts';
import { html, type Markup } from './html.ts';
import { actions, fact, facts, storedLink, storedText, textFact } from './parts.ts';

/** The person's name says more than what the owner calls the code. */
export function contactTitle(content: ContactContent, codeName: string): string {
  return content.name.trim() || content.organization.trim() || codeName;
}

export function contactBody(content: ContactContent, ownPath: string, words: Words): Markup {
  const { name, organization, title, phones, emails, links, addresses, birthday, note } = content;
  // Where there is no name, the organization stands in the title already.
  const roles = [title, name.trim() ? organization : ''].filter((role) => role.trim() !== '');
  return html`${roles.map((role) => html`<p class="quiet" dir="auto">${role}</p>`)}
${actions(html`<a class="button primary" href="${ownPath}.vcf" download>${words.saveContact}</a>`)}
${facts(
  fact(
    words.phone,
    phones.map(({ number, href, label }) =>
      labelled(storedLink(formatPhoneNumber(number), href), label, words),
    ),
  ),
  fact(
    words.email,
    emails.map(({ address, href, label }) => labelled(storedLink(address, href), label, words)),
  ),
  fact(
    words.website,
    links.map(({ text, href }) => storedLink(text, href)),
  ),
  fact(
    words.address,
    addresses.map((lines) => storedText(lines.join('\n'))),
  ),
  textFact(words.birthday, birthdayIn(words.lang, birthday)),
  textFact(words.note, note),
)}`;
}

function labelled(value: Markup, label: string, words: Words): Markup {
  return label.trim() === '' ? value : html`${value}<small dir="auto">${translated(label, words)}</small>`;
}

/** The usual labels of vCards in the reader's language ("Work fax"), others as they were written. */
function translated(label: string, { labels }: Words): string {
  const names = label
    .trim()
    .split(' ')
    .map((word) => word.toLowerCase());
  const known = new Map<string, string>(Object.entries(labels));
  return names.every((name) => known.has(name)) ? names.map((name) => known.get(name)).join(', ') : label;
}

/** 1990-12-10, or --12-10 where the year is not told, as a date is written where the reader lives. */
function birthdayIn(lang: string, birthday: string): string {
  const [, year, month, day] = /^(\d{4}|-)-(\d{2})-(\d{2})$/.exec(birthday) ?? [];
  if (year === undefined) return birthday;
  // A leap year, in which every day exists.
  const date = new Date(`${year === '-' ? '2000' : year}-${month}-${day}T00:00:00Z`);
  if (date.getUTCDate() !== Number(day)) return birthday;
  return dateFormat(lang, year !== '-').format(date);
}

// Making one takes longer than the rest of the page; there are two for each language.
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
