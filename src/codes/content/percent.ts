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
