import type { FieldError } from '../../errors.ts';
import type { Language } from '../../http/preferred-language.ts';
import type { TextContent } from './plain-text.ts';

/**
 * Everything about one type of content, as data and pure functions. The form, the share page, the API and the tests render
 * and call what is here; none of them knows a type by its name.
 */
export interface ContentType<Own extends ParsedContent, Parsed extends ParsedContent = Own | TextContent> {
  /** On our own pages. */
  name: string;
  /** The first release that has it, if that is not the first of all. */
  since?: string;
  /** Never throws: content that cannot be parsed as this type is text. */
  parse(content: string): Parsed;
  form: {
    parts: FormPart[];
    /** The payload that scanners expect. Called only if a field is filled in. */
    compose(given: Given): string;
    /** The reverse, as far as the fields can hold it. Missing if the only field is the content itself. */
    read?(parsed: Parsed, content: string): ContentFields | undefined;
    /** `given` is trimmed, `fields` is not. */
    errors(given: Given, fields: ContentFields): FieldError[];
  };
  /** What another type can take over. */
  keep(given: Given): Partial<KeptValues>;
  /** Fields filled with what another type had. */
  fill(kept: KeptValues): ContentFields;
  /** How to write content that can be parsed. Missing if any content can. Plain ASCII without commas: it can be a header. */
  remedy?: string;
  /** A rule for the content that the API enforces: what is wrong with it. */
  rule?(content: string): string | undefined;
  phoneNumbers?: {
    read(parsed: Parsed, content: string): string[];
    /** For a number without a country code. Plain ASCII without commas. */
    warning: string;
  };
  /** How it is shown; missing if `parse` returns only kinds of other types. */
  shown?: ContentKind<Own>;
  /** As the form writes it: for the demo, and for tests that run over all types. */
  example: string;
}

/** How one kind of parsed content is shown. Several types can be parsed as the same kind, such as a link. */
export interface ContentKind<Content extends ParsedContent> {
  kind: Content['kind'];
  label: Localized;
  icon: Icon;
  /** The title of the page instead of the code's name; empty for that one. */
  title?(content: Content): string;
  /** A line below the title on prints, such as the role of a contact. */
  subtitle?(content: Content): string;
  /** The title of the page where the code has none and its name is not public. Without one, it is the label. */
  heading?(content: Content): string;
  /** On prints, instead of the heading: what the page shows below its title anyway. */
  printed?(content: Content): string;
  /** The parts of the share page from top to bottom; those that are undefined are left out. */
  page(content: Content, reader: Reader): (PagePart | undefined)[];
  /** For the owner, in short and without secrets. */
  facts(
    content: Content,
    stored: { type: string; content: string },
  ): [name: string, value: string | LinkLine[]][];
  /** The target of the redirect, or the links on the page. Links that the service makes itself are not included. */
  links?(content: Content): string[];
  /** More addresses that a phone may offer as links. */
  mentions?(content: Content): string[];
  /** Served at the share link with this extension. */
  file?: ContentFile<Content>;
  /** For content whose own code is printed, rather than the share link. */
  direct?: { hint: string; linkHint: string; pictureHint: string; scanText: Localized };
}

interface ContentFile<Content> {
  /** Three letters. */
  extension: string;
  mediaType: string;
  name(content: Content): string;
  /** Where the name has no Latin letters. */
  fallbackName: string;
  /** `id` is the same for all files of a code. */
  write(content: Content, made: { id: string; now: Date }): string;
}

export interface ParsedContent {
  kind: string;
}

/** A text of the share pages. */
export type Localized = Record<Language, string>;

export interface Reader {
  language: Language;
  mapsApp: MapsApp;
}

/** Each maps app has its own link format. */
export type MapsApp = 'android' | 'apple' | 'none';

/** Paths and circles (center and radius) in a 24 × 24 view box. */
export type Icon = readonly (string | readonly [x: number, y: number, radius: number])[];

/** The label is the owner's, and says nothing about where the link leads. */
export interface LinkLine {
  text: string;
  href?: string;
  label?: string;
}

export type PagePart =
  /** Large enough to read aloud. */
  | { part: 'value'; text: string }
  /** Digits to type by hand, always from left to right. */
  | { part: 'digits'; text: string; look: 'value' | 'value long' | 'quiet' }
  | { part: 'addresses'; addresses: string[] }
  | { part: 'quiet'; text: string; direction?: 'ltr' }
  /** The photo of a contact, and what the person does. */
  | { part: 'person'; roles: string[] }
  | { part: 'actions'; buttons: Button[] }
  | { part: 'facts'; facts: (PageFact | undefined)[] }
  /** A text with its addresses as links, to copy by a button for `text`. */
  | { part: 'text'; text: string }
  | { part: 'links'; lines: LinkLine[] }
  /** The code of the content itself, for other phones. */
  | { part: 'direct code'; alt: string; text: string; more: string | undefined };

export interface LinkButton {
  label: string;
  href: string;
  isSecondary?: boolean;
  opensAtOnce?: boolean;
}

/** `copies` is the id of the element whose text is copied, `file` an extension of the share link. */
export type Button =
  | LinkButton
  | { label: string; copies: 'password' | 'text' }
  | { label: string; file: string };

export interface PageFact {
  name: string;
  values: FactValue[];
}

/** `note` is shown beside it. A secret has the id `password`. Addresses in linked text are links. */
export interface FactValue {
  text: string;
  href?: string | undefined;
  note?: string;
  look?: 'secret' | 'linked';
}

/** Undefined for an empty text. */
export function textFact(name: string, text: string): PageFact | undefined {
  return text === '' ? undefined : { name, values: [{ text }] };
}

/** The input of a form by field. A missing field is empty. */
export type ContentFields = Partial<Record<string, string>>;
export type Given = (name: string) => string;

export type FormPart =
  | FormField
  /** Side by side. */
  | { row: FormField[] }
  /** Closed until one of the fields is used. */
  | { title: string; more: FormPart[] }
  /** Rows of an address and its label that can be moved; all but the first few are closed. */
  | { linkRows: { address: FormField; label: FormField }[]; open: number; hint: string };

export interface FormField {
  name: string;
  /** Ends in "(optional)" where it is. */
  label: string;
  /** `text` by default. Only an area keeps line breaks. */
  input?: 'text' | 'area' | 'select' | 'checkbox' | 'date' | 'time';
  inputMode?: 'url' | 'tel' | 'email';
  maxLength?: number;
  rows?: number;
  /** A choice alone does not make a form filled in. */
  choices?: [value: string, text: string][];
  /** In a new form. */
  initial?: string;
  hint?: string;
  isSecret?: boolean;
  /** Warns about a value that is valid but may be a mistake. */
  caution?: { text: string; pattern: RegExp };
}

export function fieldsIn(parts: FormPart[]): FormField[] {
  return parts.flatMap((part) => {
    if ('row' in part) return part.row;
    if ('more' in part) return fieldsIn(part.more);
    if ('linkRows' in part) return part.linkRows.flatMap(({ address, label }) => [address, label]);
    return part;
  });
}

/** What several types have in common, whatever their fields are called. */
export interface KeptValues {
  name: string;
  number: string;
  email: string;
  /** Address of a web page. */
  address: string;
  message: string;
  /** Everything readable, for a text. Never a password: other types are not secret. */
  text: string;
}

/** For `errors` of a form: a field that must be filled in, and validly. */
export function required(given: Given, field: string, isValid = true, message = ''): FieldError[] {
  if (given(field) === '') return [{ field, message: 'must not be empty' }];
  return isValid ? [] : [{ field, message }];
}

/** For `errors` of a form: a field that may be empty. */
export function optional(
  given: Given,
  field: string,
  isValid: (text: string) => boolean,
  message: string,
): FieldError[] {
  return given(field) === '' || isValid(given(field)) ? [] : [{ field, message }];
}
