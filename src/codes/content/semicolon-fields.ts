export interface Field {
  key: string;
  /** Not unescaped yet. */
  raw: string;
}

/**
 * The fields of `WIFI:`, `MECARD:` and `MATMSG:`: `KEY:value;KEY:value;;`, in any order.
 * Text after a semicolon that is not a field belongs to the value before it: some generators do not escape.
 */
export function parseFields(text: string, keys: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (const part of splitUnescaped(text, ';')) {
    const colon = part.indexOf(':');
    const key = part.slice(0, Math.max(colon, 0)).trim().toUpperCase();
    const last = fields.at(-1);
    if (keys.includes(key)) fields.push({ key, raw: part.slice(colon + 1) });
    else if (last && part.trim() !== '') last.raw += `;${part}`;
  }
  return fields;
}

/** A backslash before any other character stays a backslash. */
export function unescapeField(raw: string): string {
  return raw.replace(/\\([\\;,:"])/g, '$1');
}

export function escapeField(value: string): string {
  return value.replace(/[\\;,:"]/g, '\\$&');
}

export function splitUnescaped(text: string, separator: ';' | ','): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') {
      index += 1;
    } else if (text[index] === separator) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
