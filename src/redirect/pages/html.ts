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
