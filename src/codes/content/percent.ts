import { isUtf8 } from 'node:buffer';

/** Stricter than encodeURIComponent: quotes and brackets are encoded too, and a lone surrogate does not throw. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** What is no valid UTF-8 stays as it is: "100% sure" is a subject that people write. A plus is a plus. */
export function percentDecode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    // Not decodeURIComponent: hundreds of runs may be invalid, and each error would cost more than all the rest.
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
    return isUtf8(bytes) ? bytes.toString() : run;
  });
}

/**
 * The first value of each name in a query, names in small letters. A plus is a plus. What follows a bare & and is no field
 * belongs to the value before it: people write "Tom & Jerry".
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
