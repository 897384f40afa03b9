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
