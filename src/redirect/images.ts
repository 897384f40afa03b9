import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Picture } from '../codes/image/draw.ts';
import {
  contentTypes,
  type Image,
  type ImageFormat,
  type Images,
  imageEtag,
} from '../codes/image/image-thread.ts';
import { fitsSymbol, tooLongToDraw } from '../codes/image/symbol.ts';
import { pictureWarnings } from '../codes/scannability.ts';
import { shareUrl } from '../codes/share-token.ts';
import { parseQuery } from '../http/query-string.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';

/** What a picture of a code is made of. */
export type ImageCode = Omit<Picture, 'text'> & { content: string };

/** Answers with the picture of a code that may be shown. Never a scan. Where it must be drawn first: resolves when sent. */
export type ImageAnswer = (
  req: IncomingMessage,
  res: ServerResponse,
  token: string,
  format: ImageFormat,
  code: ImageCode,
  /** What stands behind the question mark; empty where there is none. */
  query: string,
) => Promise<void> | undefined;

interface ImageAnswerParts {
  images: Images;
  baseUrl: string;
  log: Log;
}

const cacheControl = 'public, max-age=300';
const retryAfterSeconds = 5;

const always = {
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // For an SVG that is opened by itself: it is a document then.
  'Content-Security-Policy': "default-src 'none'",
  // The picture is public: a page elsewhere may draw it onto a canvas.
  'Access-Control-Allow-Origin': '*',
};

export function createImageAnswer({ images, baseUrl, log }: ImageAnswerParts): ImageAnswer {
  // Whoever asks for more pictures than can be drawn must not fill the log.
  const tellUndrawn = throttle((err, times) => log.error({ err, times }, 'pictures could not be drawn'));
  return (req, res, token, format, code, query) => {
    const wanted = parseQuery(query);
    const encode = wanted.get('encode') ?? [];
    if (encode.some((value) => value !== 'content')) {
      sendText(req, res, 400, 'encode must be content, or be left out for the share address.');
      return undefined;
    }
    const { errorCorrection, size, foregroundColor, backgroundColor } = code;
    const text = encode.length > 0 ? code.content : shareUrl(baseUrl, token);
    if (!fitsSymbol(text, code.errorCorrection)) {
      sendText(req, res, 404, tooLongToDraw);
      return undefined;
    }
    const picture: Picture = { text, errorCorrection, size, foregroundColor, backgroundColor };
    const etag = imageEtag(picture, format);
    if (isKnown(req.headers['if-none-match'], etag)) {
      res.writeHead(304, { ...always, ETag: etag, 'Cache-Control': cacheControl });
      res.end();
      return undefined;
    }
    const disposition = wanted.has('download') ? 'attachment' : 'inline';
    return images.draw(picture, format).then(
      (image) =>
        sendImage(req, res, image, {
          'Content-Type': contentTypes[format],
          'Content-Disposition': `${disposition}; filename="qr-${token}.${format}"`,
          'Qrelay-Warning': pictureWarnings(picture),
        }),
      (err: unknown) => {
        tellUndrawn(err);
        res.setHeader('Retry-After', retryAfterSeconds);
        sendText(req, res, 503, 'The picture cannot be drawn right now. Try again shortly.');
      },
    );
  };
}

/** The weak comparison of RFC 9110: who has the picture need not have it sent again. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

function sendImage(
  req: IncomingMessage,
  res: ServerResponse,
  { body, etag }: Image,
  headers: Record<string, string | string[]>,
): void {
  res.writeHead(200, {
    ...always,
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
    ...always,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
