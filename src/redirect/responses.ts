import type { IncomingMessage, ServerResponse } from 'node:http';
import { attachment } from '../http/file-headers.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { type Translation, chooseTranslation } from './translations.ts';
import { pagePolicy, type PageSite, policyWith } from './pages/layout.ts';
import { type NoticeName, noticePage } from './pages/notice-pages.ts';
import { accentOf, logoPicture, pageLogoAt } from './pages/own-look.ts';
import type { Target } from './target.ts';
import { TooManyLookupsError } from './targets.ts';

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

/** The code that a page is about: where to report it, and its target, if the page has the owner's look. */
interface NoticeAbout {
  token?: string;
  reportHref?: string | undefined;
  target?: Target | null;
}

interface NoticeOptions {
  /** What all pages have in common. */
  site: Required<PageSite>;
  /** Where to report a code for abuse; `undefined` if the operator gave no contact. */
  reportHref: (token: string) => string | undefined;
  metrics: Pick<WebMetrics, 'shareAnswers'>;
}

/** Pages without content, in the look of the owner or of the service. Counts what it answers. */
export function createNotices({ site, reportHref: reportHrefOf, metrics }: NoticeOptions) {
  const { shareAnswers: answers } = metrics;

  function show(
    req: IncomingMessage,
    res: ServerResponse,
    status: number,
    name: NoticeName,
    { token = '', reportHref, target }: NoticeAbout = {},
  ): void {
    const accent = accentOf(target?.look.color ?? site.brand.color);
    const ownTitle = target?.look.title ?? undefined;
    const logo = target?.pageLogo && logoPicture(pageLogoAt(target.pageLogo, token, site.basePath));
    const look = { ...site, accent, reportHref, ownTitle, logo: logo ?? undefined };
    showPage(req, res, status, (translation) => noticePage(name, translation, look), policyWith(accent));
  }

  return {
    show,
    showNotFound(req: IncomingMessage, res: ServerResponse): void {
      answers.not_found += 1;
      show(req, res, 404, 'notFound');
    },
    /** A blocked code loses its owner's look. */
    showGone(req: IncomingMessage, res: ServerResponse, target: Target, token: string): void {
      answers[target.isBlocked ? 'blocked' : 'expired'] += 1;
      const reportHref = reportHrefOf(token);
      if (target.isBlocked) show(req, res, 410, 'blocked', { reportHref });
      else show(req, res, 410, 'expired', { token, reportHref, target });
    },
    showBadMethod(req: IncomingMessage, res: ServerResponse): void {
      answers.bad_method += 1;
      res.setHeader('Allow', 'GET, HEAD');
      show(req, res, 405, 'method');
    },
    /** For a code that could not be looked up. */
    showUnavailable(req: IncomingMessage, res: ServerResponse, err: unknown): void {
      const isLimited = err instanceof TooManyLookupsError;
      answers[isLimited ? 'limited' : 'unavailable'] += 1;
      res.setHeader('Retry-After', isLimited ? err.retryAfterSeconds : 5);
      show(req, res, isLimited ? 429 : 503, 'unavailable');
    },
  };
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
