/** Markup that was written here, with whatever it was given escaped. Only `html` makes it. */
export class Markup {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static write(strings: readonly string[], parts: readonly Part[]): Markup {
    let text = strings[0] ?? '';
    for (let index = 0; index < parts.length; index += 1) {
      text += written(parts[index]) + (strings[index + 1] ?? '');
    }
    return new Markup(text);
  }

  toString(): string {
    return this.#text;
  }
}

type Part = string | number | Markup | readonly Part[] | undefined;

/** Escapes every part for text and for attributes in double quotes. Nothing that is a string can be markup. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return Markup.write(strings, parts);
}

function written(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.toString();
  if (typeof part === 'object') return part.map(written).join('');
  return escape(String(part));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // The parser would make a line feed of it, and a copied text would differ from the stored one.
  '\r': '&#13;',
};

function escape(text: string): string {
  return text.replace(/[&<>"'\r]/g, (character) => entities[character] ?? character);
}
