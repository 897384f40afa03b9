const idLength = 22;
/** Proxies accept addresses of 8 KB, and the list of ids is in one. */
export const maxSelectedCodes = 300;

/** The bytes of ids in base64url, 22 characters each. selection.browser.js writes the same. */
export function packIds(ids: string[]): string {
  return ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')).join('');
}

/** What is no id is for the caller to leave out. The length of an address bounds their number. */
export function unpackIds(text: string): string[] {
  const ids: string[] = [];
  for (let at = 0; at < text.length; at += idLength) {
    const hex = Buffer.from(text.slice(at, at + idLength), 'base64url').toString('hex');
    ids.push(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  }
  return ids;
}
