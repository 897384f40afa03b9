import { partsOfText } from '../../codes/content/links.ts';

/** Markup whose interpolated values are escaped. Only `html` creates it. */
export class Markup {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static write(strings: readonly string[], parts: readonly Part[]): Markup {
    let text = strings[0] ?? '';
    for (let index = 0; index < parts.length; index += 1) {
      text += toText(parts[index]) + (strings[index + 1] ?? '');
    }
    return new Markup(text);
  }

  toString(): string {
    return this.#text;
  }
}

type Part = string | number | Markup | readonly Part[] | undefined;

/** Escapes every part for text and for double-quoted attributes. A string is never treated as markup. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return Markup.write(strings, parts);
}

function toText(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.toString();
  if (typeof part === 'object') return part.map(toText).join('');
  return escape(String(part));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // HTML parsers turn it into a line feed, and copied text would differ from the stored text.
  '\r': '&#13;',
};

function escape(text: string): string {
  return text.replace(/[&<>"'\r]/g, (character) => entities[character] ?? character);
}

/** Allowed link schemes. Content parsers check them too; this is the last line of defense. */
const linkable = /^(?:https?|tel|sms|mailto|geo):/i;

export function isLinkable(href: string | undefined): href is string {
  return href !== undefined && linkable.test(href);
}

/** Stored text as a link, without a referrer. */
export function storedLink(text: string, href: string | undefined): Markup {
  if (!isLinkable(href)) return storedText(text);
  return html`<a href="${href}" rel="noopener noreferrer nofollow"><bdi>${undirected(text)}</bdi></a>`;
}

/** Removes characters that change the text direction, so that an address cannot be disguised. */
export function undirected(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

/** Keeps the direction of its script, and its line breaks. */
export function storedText(text: string): Markup {
  return html`<div class="stored" dir="auto">${text}</div>`;
}

/** With the addresses in it as links. Its text stays exactly as it is, for copying. */
export function linkedText(text: string): Markup {
  return html`${partsOfText(text).map((part) =>
    isLinkable(part.href)
      ? html`<a href="${part.href}" rel="noopener noreferrer nofollow"><bdi>${part.text}</bdi></a>`
      : part.text,
  )}`;
}
