/** Undefined for an invalid URL. Checked without an exception, because one content may hold hundreds of them. */
export function parseUrl(text: string): URL | undefined {
  // Node 20's canParse rejects URLs with non-ASCII characters once V8 has optimized its caller. Percent-encoding them
  // does not change whether the URL is valid.
  const ascii = text.toWellFormed().replace(/[^\0-\x7f]+/g, encodeURIComponent);
  // oxlint-disable-next-line no-restricted-properties
  if (!URL.canParse(ascii)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
