/**
 * Parses a query into all values of each name, with the results of URLSearchParams. That class needs 100 ms or more for
 * the 16 KiB that a client may send, because it throws and catches an error for each value that is not valid UTF-8.
 */
export function parseQuery(query: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decode(part.slice(equals + 1));
    const values = found.get(name);
    if (values) values.push(value);
    else found.set(name, [value]);
  }
  return found;
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}
