/**
 * Not URL.canParse: once V8 has optimized its caller, Node 20's says no to addresses with an umlaut in them.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
