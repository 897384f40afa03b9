// In Koa's range (~1.0.1), so that one copy is installed; 2.x and later need Node 22.
import contentDisposition from 'content-disposition';

/** Keeps the file name below the 255 bytes that file systems allow, and the header short. */
const maxNameLength = 60;

/**
 * The header for a download: the file name in UTF-8, and an ASCII name for clients that do not read that one. The ASCII
 * name is `fallbackName` when `name` has no Latin letters or digits.
 */
export function attachment(name: string, extension: string, fallbackName: string): string {
  return disposition('attachment', name, extension, fallbackName);
}

/** For what the browser shows, and saves under this name. */
export function inline(name: string, extension: string, fallbackName: string): string {
  return disposition('inline', name, extension, fallbackName);
}

function disposition(type: string, name: string, extension: string, fallbackName: string): string {
  // Bidirectional controls could disguise the extension.
  const short = [...name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').toWellFormed()]
    .slice(0, maxNameLength)
    .join('');
  const safeName = short.replace(/[\p{Cc}/\\]/gu, '_');
  const ascii = short.replace(/[^\w .-]/g, '_').trim();
  const asciiName = /[A-Za-z0-9]/.test(ascii) ? ascii : fallbackName;
  return contentDisposition(`${safeName}.${extension}`, { type, fallback: `${asciiName}.${extension}` });
}

/** Both ends are included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The range that a `Range` header asks for. Undefined where the whole is to be sent: no header, one that is malformed, or
 * several ranges, which a server may ignore (RFC 9110, section 14.2).
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Number(last);
    return length === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Number(last);
  if (end < start && last !== '') return undefined;
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) };
}

/** The weak comparison of RFC 9110, for `If-None-Match`. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
