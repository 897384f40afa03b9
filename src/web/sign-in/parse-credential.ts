const maxLength = 20_000;

/** What passkey.browser.js sends: an object of an unknown shape, or undefined. */
export function parseCredential(text: string): object | undefined {
  if (text === '' || text.length > maxLength) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
