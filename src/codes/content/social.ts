import type { FieldError } from '../../errors.ts';
import { type ContentFields, type ContentType, type Given, type LinkLine, required } from './content-type.ts';
import {
  addressesAmong,
  hrefAmongWords,
  type LinkContent,
  linkIcon,
  splitAtAddresses,
  webHref,
  webHrefOfAddress,
} from './links.ts';
import { asText, linesOf, oneLine, type TextContent, trimEndOf } from './plain-text.ts';

/** Several links, or links among other words, line by line. */
export interface LinksContent {
  kind: 'links';
  lines: LinkLine[];
}

/** As many as a form can show; more are edited as text. */
const maxRows = 8;
/** Longer ones are text above the link. */
const maxLabelLength = 60;

export const linkRows = Array.from({ length: maxRows }, (_, index) => ({
  label: `linkLabel${index + 1}`,
  address: `linkAddress${index + 1}`,
}));

export const social = {
  name: 'Social links',
  parse: parseSocial,
  form: {
    parts: [
      {
        hint: 'The icon follows from the address. With a label, people see the label and the address.',
        open: 3,
        linkRows: linkRows.map(({ label, address }, index) => ({
          address: {
            name: address,
            label: `Address ${index + 1}${index === 0 ? '' : ' (optional)'}`,
            inputMode: 'url',
          },
          label: { name: label, label: `Label ${index + 1} (optional)` },
        })),
      },
    ],
    compose: composeLinks,
    read: (_, content) => fieldsOfLinks(content),
    errors: linkErrors,
  },
  keep: (given) => {
    const content = composeLinks(given) || given('content');
    return {
      address: linesOf(content).map(parseLabeledLine).find(Boolean)?.text ?? '',
      text: content,
    };
  },
  /** All links of a text that has nothing else, or else one. */
  fill: ({ address, text }) =>
    (address === '' ? undefined : (fieldsOfLinks(text) ?? fieldsOfLinks(address))) ?? {},
  remedy: 'Write whole addresses that begin with https://',
  shown: {
    kind: 'links',
    label: { en: 'Links', de: 'Links', fr: 'Liens', es: 'Enlaces', pt: 'Links', zh: '链接' },
    icon: linkIcon,
    page: ({ lines }) => [{ part: 'links', lines }],
    facts: ({ lines }) => [['Links', lines]],
    links: ({ lines }) => lines.flatMap(({ href }) => href ?? []),
    mentions: ({ lines }) =>
      lines.flatMap(({ text, href, label = '' }) => addressesAmong(href === undefined ? text : label)),
  },
  example: 'https://www.instagram.com/example',
} satisfies ContentType<LinksContent, LinkContent | LinksContent | TextContent>;

export function parseSocial(content: string): LinkContent | LinksContent | TextContent {
  const written = linesOf(content);
  const lines = written.flatMap((line) => parseLabeledLine(line) ?? splitAtAddresses(line));
  const [only] = written;
  if (only !== undefined && written.length === 1 && lines.filter(({ href }) => href).length < 2) {
    // The whole line, so that a URL with a space works as in a browser's address bar.
    const href = webHref(only) ?? hrefAmongWords(only);
    if (href) return { kind: 'link', href };
  }
  return lines.some((line) => line.href) ? { kind: 'links', lines } : asText(content);
}

/** An address, or "Our shop: https://example.com/shop". Undefined for any other line. */
function parseLabeledLine(line: string): LinkLine | undefined {
  const split = splitAtAddresses(line);
  const [first, second] = split;
  if (split.length === 1 && first?.href && first.text === line.trim()) return first;
  if (split.length !== 2 || !second?.href || first?.href || !first?.text.endsWith(':')) return undefined;
  const label = first.text.slice(0, -1).trim();
  // The line must end with the address, and both must be all of it.
  const isAll = line.trim() === `${first.text} ${second.text}`;
  return isAll && label !== '' && label.length <= maxLabelLength ? { ...second, label } : undefined;
}

/** A line for each link, "Label: https://…" where it has a label. */
function composeLinks(given: Given): string {
  return linkRows
    .flatMap((row) => {
      const [label, address] = [labelOf(given(row.label)), oneLine(given(row.address))];
      if (address === '' && label === '') return [];
      return label === '' ? completed(address) : `${label}: ${completed(address)}`;
    })
    .join('\n');
}

/** As a line is split: with single spaces, and without a colon of its own. */
function labelOf(text: string): string {
  return trimEndOf(oneLine(text).replace(/\s+/g, ' '), ': ');
}

/** With the scheme, as a browser's address bar adds it, unless the host is known without one. */
function completed(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address) || hrefAmongWords(address) !== undefined) return address;
  return webHrefOfAddress(address) === undefined ? address : `https://${address}`;
}

/** Undefined where a line is something else than a link, and for more lines than the form has rows. */
function fieldsOfLinks(content: string): ContentFields | undefined {
  const lines = linesOf(content);
  if (lines.length > maxRows) return undefined;
  const links = lines.map(parseLabeledLine);
  if (links.includes(undefined)) return undefined;
  return Object.fromEntries(
    linkRows.flatMap((row, index) => [
      [row.label, links[index]?.label ?? ''],
      [row.address, links[index]?.text ?? ''],
    ]),
  );
}

/** The first row must have an address, and a label must not pass for another one. */
function linkErrors(given: Given): FieldError[] {
  const isEmpty = linkRows.every((row) => given(row.label) === '' && given(row.address) === '');
  if (isEmpty) return required(given, 'linkAddress1');
  return linkRows.flatMap((row) => [
    ...addressErrors(given, row.address, given(row.label)),
    ...labelErrors(row.label, given(row.label)),
  ]);
}

function addressErrors(given: Given, field: string, label: string): FieldError[] {
  const address = given(field);
  if (address === '') return label === '' ? [] : required(given, field);
  const parsed = parseLabeledLine(completed(address));
  if (!parsed) return [{ field, message: 'must be a web address, such as https://example.com/' }];
  return parsed.label === undefined
    ? []
    : [{ field, message: 'must be an address only; the label has its own field' }];
}

function labelErrors(field: string, label: string): FieldError[] {
  if (label.length > maxLabelLength)
    return [{ field, message: `must be at most ${maxLabelLength} characters` }];
  const hasAddress = label.split(/\s+/).some((word) => hrefAmongWords(word) !== undefined);
  return hasAddress ? [{ field, message: 'must be words, without a web address' }] : [];
}
