import type { IncomingMessage, ServerResponse } from 'node:http';
import { attachment } from '../http/file-headers.ts';
import { type Translation, chooseTranslation } from './translations.ts';
import { pagePolicy } from './pages/layout.ts';

/** In the language of the scanner. */
export function showPage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: (translation: Translation) => string,
  policy?: string,
): void {
  const translation = chooseTranslation(req.headers['accept-language']);
  sendPage(res, status, page(translation), translation.lang, policy);
}

/** The responses of the scan lane. `no-store`, because a scan that a cache answers is not counted. */

export function sendRedirect(res: ServerResponse, location: string): void {
  res.writeHead(302, ['Location', location, 'Cache-Control', 'no-store', 'Content-Length', '0']);
  res.end();
}

function sendPage(
  res: ServerResponse,
  status: number,
  page: string,
  language: string,
  policy = pagePolicy,
): void {
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    'Content-Language': language,
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': policy,
  });
  res.end(page);
}

interface FileFormat {
  extension: string;
  mediaType: string;
  fallbackName: string;
}

export function sendContentFile(
  res: ServerResponse,
  { extension, mediaType, fallbackName }: FileFormat,
  name: string,
  body: string,
): void {
  res.writeHead(200, {
    'Content-Type': mediaType,
    'Content-Length': Buffer.byteLength(body),
    'Content-Disposition': attachment(name, extension, fallbackName),
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(body);
}
