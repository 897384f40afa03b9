/** Undefined for what is no address. A content may hold hundreds of those, and an error costs as much as many addresses. */
export function parseUrl(text: string): URL | undefined {
  // Once V8 has optimized its caller, Node 20's canParse says no to addresses with an umlaut in them. Percent-encoded, they
  // are the same addresses.
  const ascii = text.toWellFormed().replace(/[^\0-\x7f]+/g, encodeURIComponent);
  // oxlint-disable-next-line no-restricted-properties
  if (!URL.canParse(ascii)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
