import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { originForm } from '../http/base-path.ts';
import type { ClientAddresses } from '../http/client-address.ts';
import { contentKind, fileExtensions } from '../codes/content/content-types.ts';
import type { ImageFormat } from '../codes/image/image-thread.ts';
import { withPhoto } from '../codes/content/vcard.ts';
import type { ServedFiles } from '../codes/files/served-files.ts';
import { isShareToken } from '../codes/share-token.ts';
import { sendInternalError } from '../http/malformed-request.ts';
import type { ScanProducer } from '../queue/producer.ts';
import type { RawScan } from '../queue/scan-jobs.ts';
import { newScanId } from '../scans/scan-id.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { createNotices, sendContentFile, sendRedirect, showPage } from './responses.ts';
import { type ScanPolicy, readScanHeaders } from './scan-policy.ts';
import type { SendImage, SendPageLogo } from './images.ts';
import type { ShareTrace, TraceShareRequest } from './share-traces.ts';
import { type PageSite, policyWith } from './pages/layout.ts';
import { contentPage, mapsAppOf } from './pages/content-page.ts';
import { accentOf } from './pages/own-look.ts';
import type { Target } from './target.ts';
import { type Targets, TooManyLookupsError } from './targets.ts';

const prefix = '/r/';
/** `/r/<token>-logo.png` */
const logoEnding = '-logo';
/** For the list of routes. */
export const sharePaths = [
  '',
  '.svg',
  '.png',
  '.pdf',
  ...fileExtensions.map((extension) => `.${extension}`),
  `${logoEnding}.png`,
].map((ending) => `${prefix}:token${ending}`);

interface LaneOptions {
  targets: Targets;
  producer: ScanProducer;
  scanPolicy: ScanPolicy;
  sendImage: SendImage;
  /** The photo of a contact. */
  readPhoto: ServedFiles['photo'];
  sendPageLogo: SendPageLogo;
  /** What all pages have in common. */
  site: Required<PageSite>;
  /** Where to report a code for abuse; `undefined` if the operator gave no contact. */
  reportHref: (token: string) => string | undefined;
  addresses: Pick<ClientAddresses, 'read'>;
  nowMs: () => number;
  metrics: WebMetrics;
  log: Log;
  /** Undefined: no traces are exported. */
  trace?: TraceShareRequest | undefined;
}

/** A parsed share address: the code itself, its image, its content as a file, or the logo of its page. */
interface ShareRequest {
  token: string;
  format: 'code' | 'logo' | ImageFormat | { fileExtension: string };
  query: string;
  startedAt: number;
  trace: ShareTrace | undefined;
}

/**
 * The scan lane: handles requests to `/r/…` before the app, and passes on all others. A redirect is sent when its scan is
 * durable, or when the producer will not let it wait any longer.
 */
export function createLane(lane: LaneOptions, next: RequestListener): RequestListener {
  const { shareAnswers: answers, shareSeconds } = lane.metrics;
  const { show, showNotFound, showGone, showBadMethod, showUnavailable } = createNotices(lane);
  const logUnavailable = throttle((err, times) =>
    lane.log.error({ err, times }, 'share links could not be looked up'),
  );

  const logFailed = throttle((err, times) =>
    lane.log.error({ err, times }, 'a request for a share link failed'),
  );

  /** An error in one request, or in one code, must not end the process. */
  function fail(req: IncomingMessage, res: ServerResponse, err: unknown): void {
    lane.metrics.uncaughtErrors.inc();
    logFailed(err);
    try {
      if (!res.headersSent) return show(req, res, 500, 'unavailable');
    } catch {
      // Rendering the page is what failed.
    }
    sendInternalError(res);
  }

  function guard(req: IncomingMessage, res: ServerResponse, work: () => void): void {
    try {
      work();
    } catch (err) {
      fail(req, res, err);
    }
  }

  function respond(
    req: IncomingMessage,
    res: ServerResponse,
    target: Target | null,
    request: ShareRequest,
  ): void {
    const now = lane.nowMs();
    if (!target?.isPublic) return showNotFound(req, res);
    const isExpired = target.expiresAtMs <= now;
    if (isExpired && !target.isBlocked && request.format === 'code' && target.afterExpiryHref !== undefined) {
      answers.after_expiry += 1;
      return sendRedirect(res, target.afterExpiryHref);
    }
    // The logo is on the page of an expired code, too.
    if (target.isBlocked || (isExpired && request.format !== 'logo'))
      return showGone(req, res, target, request.token);
    if (request.format === 'code') return respondToScan(req, res, target, request, now);
    if (request.format === 'logo') return respondWithLogo(req, res, target);
    if (typeof request.format !== 'string') return respondWithFile(req, res, target, request);
    answers.image += 1;
    const sent = lane.sendImage(req, res, request.token, request.format, target.picture, request.query);
    sent?.catch((err: unknown) => fail(req, res, err));
  }

  /** The content as a file, such as a contact. One without its photo is better than none. */
  function respondWithFile(
    req: IncomingMessage,
    res: ServerResponse,
    { codeId, content, photo }: Target,
    { token, format }: ShareRequest,
  ): void {
    const { file } = contentKind(content.kind);
    if (typeof format === 'string' || file?.extension !== format.fileExtension) return showNotFound(req, res);
    answers[content.kind === 'contact' ? 'contact_file' : 'file'] += 1;
    const body = file.write(content, { id: token, now: new Date(lane.nowMs()) });
    const send = (text: string) =>
      guard(req, res, () => sendContentFile(res, file, file.name(content), text));
    if (photo === undefined) return send(body);
    lane.readPhoto(codeId, photo).then(
      (jpeg) => send(jpeg ? withPhoto(body, jpeg) : body),
      (err: unknown) => {
        logFailed(err);
        send(body);
      },
    );
  }

  function respondWithLogo(req: IncomingMessage, res: ServerResponse, { pageLogo }: Target): void {
    if (!pageLogo) return showNotFound(req, res);
    answers.image += 1;
    lane.sendPageLogo(req, res, pageLogo.logo).then(
      (isSent) => guard(req, res, () => (isSent ? undefined : showNotFound(req, res))),
      (err: unknown) => fail(req, res, err),
    );
  }

  function respondToScan(
    req: IncomingMessage,
    res: ServerResponse,
    target: Target,
    { token, startedAt, trace }: ShareRequest,
    now: number,
  ): void {
    const { content, name, look, photo, pageLogo } = target;
    const accent = accentOf(look.color ?? lane.site.brand.color);
    const send =
      content.kind === 'link'
        ? () => sendRedirect(res, content.href)
        : () =>
            showPage(
              req,
              res,
              200,
              (translation) =>
                contentPage({
                  name,
                  look,
                  pageLogo,
                  accent,
                  token,
                  content,
                  translation,
                  ...lane.site,
                  photo,
                  mapsApp: mapsAppOf(req.headers['user-agent']),
                  reportHref: lane.reportHref(token),
                }),
              policyWith(accent),
            );
    // Guarded, because the producer calls it later, outside the guard of the request.
    const onDurable = () =>
      guard(req, res, () => {
        send();
        shareSeconds.observe((performance.now() - startedAt) / 1000);
      });
    const headers = readScanHeaders(req.rawHeaders);
    const reason = lane.scanPolicy(req.method, headers);
    if (reason !== undefined) {
      answers[reason] += 1;
      return onDurable();
    }
    const scan: RawScan = {
      id: newScanId(now),
      codeId: target.codeId,
      userAgent: headers.userAgent,
      address: lane.addresses.read(req.socket.remoteAddress, headers.forwardedFor),
    };
    if (!trace) return lane.producer.enqueue(scan, onDurable);
    trace.enqueue(scan);
    lane.producer.enqueue(scan, (storage) => {
      trace.durable(storage);
      onDurable();
    });
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const { method } = req;
    const url = originForm(req.url ?? '');
    if (!url.startsWith(prefix)) {
      // Koa would parse the host of an absolute URL, and fail if it is invalid.
      req.url = url;
      return next(req, res);
    }
    const trace = lane.trace?.(req, res);
    if (method !== 'GET' && method !== 'HEAD') return showBadMethod(req, res);
    const request = parseShareUrl(url, performance.now(), trace);
    if (!isShareToken(request.token)) return showNotFound(req, res);
    const found = lane.targets.find(request.token, req);
    if (!(found instanceof Promise)) return respond(req, res, found, request);
    found.then(
      (target) => guard(req, res, () => respond(req, res, target, request)),
      (err: unknown) => guard(req, res, () => respondWithout(req, res, err)),
    );
  }

  function respondWithout(req: IncomingMessage, res: ServerResponse, err: unknown): void {
    if (!(err instanceof TooManyLookupsError)) logUnavailable(err);
    showUnavailable(req, res, err);
  }

  return (req, res) => guard(req, res, () => handle(req, res));
}

/** A trailing slash is ignored. */
function parseShareUrl(url: string, startedAt: number, trace: ShareTrace | undefined): ShareRequest {
  const mark = url.indexOf('?');
  const end = mark < 0 ? url.length : mark;
  const path = url.slice(prefix.length, url[end - 1] === '/' ? end - 1 : end);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  const dot = path.length - 4;
  if (path[dot] !== '.') return { token: path, format: 'code', query, startedAt, trace };
  const format = path.slice(dot + 1);
  const token = path.slice(0, dot);
  if (format === 'png' && token.endsWith(logoEnding))
    return { token: token.slice(0, -logoEnding.length), format: 'logo', query, startedAt, trace };
  if (format === 'svg' || format === 'png' || format === 'pdf')
    return { token, format, query, startedAt, trace };
  // With any other extension, the path is not a valid token.
  return fileExtensions.includes(format)
    ? { token, format: { fileExtension: format }, query, startedAt, trace }
    : { token: path, format: 'code', query, startedAt, trace };
}
