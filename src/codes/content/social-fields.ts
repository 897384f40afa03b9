import type { FieldError } from '../../errors.ts';
import type { ContentFields } from './compose-content.ts';
import { hrefAmongWords, maxLabelLength, parseLabeledLine, webHrefOfAddress } from './links.ts';
import { linesOf, oneLine, trimEndOf } from './plain-text.ts';

/** As many as a form can show; more are edited as text. */
const maxRows = 8;

export const linkRows = Array.from({ length: maxRows }, (_, index) => ({
  label: `linkLabel${index + 1}`,
  address: `linkAddress${index + 1}`,
}));

export const socialFieldNames = linkRows.flatMap(({ label, address }) => [address, label]);

/** A line for each link, "Label: https://…" where it has a label. */
export function composeSocial(given: (name: string) => string): string {
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
export function fieldsOfSocial(content: string): ContentFields | undefined {
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
export function linkErrors(given: (name: string) => string): FieldError[] {
  const errors: FieldError[] = [];
  const [first] = linkRows;
  if (first && linkRows.every((row) => given(row.label) === '' && given(row.address) === ''))
    errors.push({ field: first.address, message: 'must not be empty' });
  for (const row of linkRows) {
    const [label, address] = [given(row.label), given(row.address)];
    if (address === '' && label !== '') errors.push({ field: row.address, message: 'must not be empty' });
    else if (address !== '' && parseLabeledLine(completed(address))?.label !== undefined)
      errors.push({ field: row.address, message: 'must be an address only; the label has its own field' });
    else if (address !== '' && !parseLabeledLine(completed(address)))
      errors.push({ field: row.address, message: 'must be a web address, such as https://example.com/' });
    if (label.length > maxLabelLength)
      errors.push({ field: row.label, message: `must be at most ${maxLabelLength} characters` });
    else if (label.split(/\s+/).some((word) => hrefAmongWords(word) !== undefined))
      errors.push({ field: row.label, message: 'must be words, without a web address' });
  }
  return errors;
}
