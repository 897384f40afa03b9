import { isUtf8 } from 'node:buffer';

/** Stricter than encodeURIComponent: also encodes quotes and brackets, and does not throw for a lone surrogate. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Invalid sequences stay as they are, as in the subject "100% sure". A plus stays a plus. */
export function percentDecode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    // Not decodeURIComponent: with hundreds of invalid runs, its exceptions would dominate the cost.
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
    return isUtf8(bytes) ? bytes.toString() : run;
  });
}

/**
 * The first value of each name in a query, names in lower case. A plus stays a plus. Text after a bare & that is not a
 * field belongs to the value before it: people write "Tom & Jerry".
 */
export function queryFields(query: string): Map<string, string> {
  const fields = new Map<string, string>();
  let last: string | undefined;
  for (const field of query.split(/&(?:amp;)?/i)) {
    const [, name, value = ''] = /^([a-z0-9._-]+)=(.*)$/is.exec(field) ?? [];
    if (name === undefined) {
      if (last !== undefined && field !== '') fields.set(last, `${fields.get(last)}&${percentDecode(field)}`);
      continue;
    }
    last = fields.has(name.toLowerCase()) ? undefined : name.toLowerCase();
    if (last !== undefined) fields.set(last, percentDecode(value));
  }
  return fields;
}

interface Field {
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
