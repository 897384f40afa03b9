import { extensions } from '../codes/files/upload.ts';
import type { ServedFile } from '../codes/files/served-files.ts';
import { inline } from '../http/content-disposition.ts';

const locked = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Whatever a browser takes the file for, it has no origin and loads nothing. */
const imagePolicy = `${locked}; sandbox`;
/**
 * The viewer of Safari is a document of its own with inline styles, and stays empty for a PDF with a script unless scripts
 * are allowed in the sandbox. A script of a PDF cannot reach the site.
 */
const pdfPolicy = `${locked}; style-src 'unsafe-inline'; sandbox allow-scripts`;

export const etagOf = ({ id }: ServedFile) => `"${id}"`;

/** Headers of every response that is about the file, also without its bytes. */
export function fileHeaders(file: ServedFile): Record<string, string> {
  const { name, mediaType } = file;
  const extension = extensions[mediaType];
  return {
    'Content-Type': mediaType,
    'Content-Disposition': inline(name.slice(0, -extension.length - 1), extension, 'file'),
    'Content-Security-Policy': mediaType === 'application/pdf' ? pdfPolicy : imagePolicy,
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    ...validators(file),
  };
}

/** Asked for again each time: a replaced, blocked or deleted file is not shown any more. */
export function validators(file: ServedFile): Record<string, string> {
  return { ETag: etagOf(file), 'Cache-Control': 'no-cache', 'Accept-Ranges': 'bytes' };
}
