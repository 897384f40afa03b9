import type { IncomingMessage, ServerResponse } from 'node:http';
import { readPrint } from '../codes/design/design.ts';
import type { Picture } from '../codes/image/draw.ts';
import {
  type Image,
  type ImageFormat,
  type Images,
  contentTypes,
  imageEtag,
  logoPolicy,
} from '../codes/image/image-thread.ts';
import { fitsSymbol, tooLongToDraw } from '../codes/image/symbol.ts';
import type { Logos } from '../codes/design/stored-logo.ts';
import { pictureWarnings } from '../codes/scannability.ts';
import { shareUrl } from '../codes/share-token.ts';
import { matchesEtag } from '../http/file-headers.ts';
import { parseQuery } from '../http/parse-url.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';

/** Everything an image of a code depends on, except the text that it encodes. */
export type ImageCode = Omit<Picture, 'text' | 'print'> & { content: string };

/** Sends the image of a code. Never counts as a scan. Returns a promise if the image must be drawn first. */
export type SendImage = (
  req: IncomingMessage,
  res: ServerResponse,
  token: string,
  format: ImageFormat,
  code: ImageCode,
  /** Without the question mark. */
  query: string,
) => Promise<void> | undefined;

interface ImageSenderOptions {
  images: Images;
  /** Who takes turns: the hash of the client address. */
  clientOf: (req: IncomingMessage) => string;
  baseUrl: string;
  log: Log;
}

const cacheControl = 'public, max-age=300';
const retryAfterSeconds = 5;

const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // An SVG that is opened directly is a document, and could run scripts.
  'Content-Security-Policy': "default-src 'none'",
  // Images are public: any page may draw them onto a canvas.
  'Access-Control-Allow-Origin': '*',
};

export function createImageSender({ images, clientOf, baseUrl, log }: ImageSenderOptions): SendImage {
  // Throttled, so that requests for more images than can be drawn do not fill the log.
  const logDrawError = throttle((err, times) => log.error({ err, times }, 'images could not be drawn'));
  return (req, res, token, format, code, query) => {
    const parameters = parseQuery(query);
    const encode = parameters.get('encode') ?? [];
    if (encode.some((value) => value !== 'content')) {
      sendText(req, res, 400, 'encode must be content, or be omitted for the share link.');
      return undefined;
    }
    const { errorCorrection, size, foregroundColor, backgroundColor } = code;
    const isDirect = encode.length > 0;
    const text = isDirect ? code.content : shareUrl(baseUrl, token);
    if (!fitsSymbol(text, code.errorCorrection)) {
      sendText(req, res, 404, tooLongToDraw);
      return undefined;
    }
    const print = format === 'pdf' ? readPrint(parameters) : undefined;
    if (typeof print === 'string') {
      sendText(req, res, 400, print);
      return undefined;
    }
    const picture: Picture = {
      text,
      errorCorrection,
      size,
      foregroundColor,
      backgroundColor,
      // A design is proven with the share link only.
      design: isDirect ? undefined : code.design,
      print,
    };
    const etag = imageEtag(picture, format);
    if (matchesEtag(req.headers['if-none-match'], etag)) {
      res.writeHead(304, { ...commonHeaders, ETag: etag, 'Cache-Control': cacheControl });
      res.end();
      return undefined;
    }
    const disposition = parameters.has('download') ? 'attachment' : 'inline';
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    return images.draw({ key: clientOf(req), signal: gone.signal }, picture, format).then(
      (image) =>
        writeImage(req, res, image, {
          'Content-Type': contentTypes[format],
          'Content-Disposition': `${disposition}; filename="qr-${token}.${format}"`,
          'Qrelay-Warning': pictureWarnings(picture),
          ...(picture.design?.logo && { 'Content-Security-Policy': logoPolicy }),
        }),
      (err: unknown) => {
        // Its turn passed because the client disconnected.
        if (res.destroyed) return;
        logDrawError(err);
        res.setHeader('Retry-After', retryAfterSeconds);
        sendText(req, res, 503, 'The image cannot be drawn right now. Try again shortly.');
      },
    );
  };
}

function writeImage(
  req: IncomingMessage,
  res: ServerResponse,
  { body, etag }: Image,
  headers: Record<string, string | string[]>,
): void {
  res.writeHead(200, {
    ...commonHeaders,
    ...headers,
    ETag: etag,
    'Cache-Control': cacheControl,
    'Content-Length': body.length,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function sendText(req: IncomingMessage, res: ServerResponse, status: number, sentence: string): void {
  const body = `${sentence}\n`;
  res.writeHead(status, {
    ...commonHeaders,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Sends the owner's logo, which a share page shows. Resolves to false where it was deleted meanwhile. */
export type SendPageLogo = (req: IncomingMessage, res: ServerResponse, logo: string) => Promise<boolean>;

export function createPageLogoSender(logos: Logos): SendPageLogo {
  return async (req, res, logo) => {
    // A logo never changes: another picture has another id.
    const etag = `"${logo}"`;
    const headers = {
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'Content-Security-Policy': "default-src 'none'",
      'Cache-Control': 'public, max-age=300',
      ETag: etag,
    };
    if (matchesEtag(req.headers['if-none-match'], etag)) {
      res.writeHead(304, headers);
      res.end();
      return true;
    }
    const png = await logos.find(logo);
    if (!png) return false;
    res.writeHead(200, { ...headers, 'Content-Type': 'image/png', 'Content-Length': png.length });
    res.end(req.method === 'HEAD' ? undefined : png);
    return true;
  };
}
