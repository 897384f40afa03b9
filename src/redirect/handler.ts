import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { originForm } from '../http/base-path.ts';
import { clientAddress } from '../http/client-address.ts';
import type { ImageFormat } from '../codes/image/image-thread.ts';
import { isShareToken } from '../codes/share-token.ts';
import { sendInternalError } from '../http/malformed-request.ts';
import type { ScanProducer } from '../queue/producer.ts';
import { newScanId } from '../scans/scan-id.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { sendContactFile, sendPage, sendRedirect } from './answers.ts';
import { readScanHeaders, type ScanPolicy } from './scan-policy.ts';
import type { ImageAnswer } from './images.ts';
import { chooseWords } from './languages/choose-language.ts';
import type { Words } from './languages/words.ts';
import { contentPage } from './pages/content-page.ts';
import { mapsAppOf } from './pages/maps-app.ts';
import { blockedPage, expiredPage, methodPage, notFoundPage, unavailablePage } from './pages/notice-pages.ts';
import type { Target, Targets } from './targets.ts';

const prefix = '/r/';

interface Lane {
  targets: Targets;
  producer: ScanProducer;
  verdict: ScanPolicy;
  answerImage: ImageAnswer;
  /** The path of BASE_URL, where it has one. */
  basePath: string;
  /** Where to report a code; `undefined` where nobody is named for that. */
  reportHref: (token: string) => string | undefined;
  trustProxyHops: number;
  nowMs: () => number;
  metrics: WebMetrics;
  log: Log;
}

/** What is asked for at a share address: the code itself, its picture, or the contact it holds as a file. */
interface ShareRequest {
  token: string;
  form: 'code' | 'vcf' | ImageFormat;
  query: string;
  startedAt: number;
}

/**
 * The scan lane: answers what is below `/r/` in front of everything else, and hands all other requests on. A redirect
 * leaves when its scan is in the queue, or when the producer says that waiting longer would hold it up.
 */
export function createLane(lane: Lane, next: RequestListener): RequestListener {
  const { shareAnswers: answers, shareSeconds } = lane.metrics;
  const tellUnavailable = throttle((err, times) =>
    lane.log.error({ err, times }, 'share addresses could not be looked up'),
  );

  const tellFailed = throttle((err, times) =>
    lane.log.error({ err, times }, 'a share address could not be answered'),
  );

  /** Whatever is wrong with one request, or with one code, is the end of this answer and of nothing else. */
  function fail(req: IncomingMessage, res: ServerResponse, err: unknown): void {
    lane.metrics.uncaughtErrors.inc();
    tellFailed(err);
    try {
      if (!res.headersSent) return showPage(req, res, 500, unavailablePage);
    } catch {
      // The page is what fails.
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

  function showNotFound(req: IncomingMessage, res: ServerResponse): void {
    answers.not_found += 1;
    showPage(req, res, 404, notFoundPage);
  }

  function answer(
    req: IncomingMessage,
    res: ServerResponse,
    target: Target | null,
    asked: ShareRequest,
  ): void {
    const now = lane.nowMs();
    if (!target?.isPublic) return showNotFound(req, res);
    if (target.isBlocked || target.expiresAtMs <= now) {
      answers[target.isBlocked ? 'blocked' : 'expired'] += 1;
      const overPage = target.isBlocked ? blockedPage : expiredPage;
      return showPage(req, res, 410, (words) => overPage(words, lane.reportHref(asked.token)));
    }
    if (asked.form === 'code') return answerScan(req, res, target, asked, now);
    if (asked.form !== 'vcf') {
      answers.image += 1;
      const drawn = lane.answerImage(req, res, asked.token, asked.form, target.picture, asked.query);
      drawn?.catch((err: unknown) => fail(req, res, err));
      return;
    }
    if (target.content.kind !== 'contact') return showNotFound(req, res);
    answers.contact_file += 1;
    sendContactFile(res, target.content.name, target.content.vcf);
  }

  function answerScan(
    req: IncomingMessage,
    res: ServerResponse,
    target: Target,
    { token, startedAt }: ShareRequest,
    now: number,
  ): void {
    const { content, name } = target;
    const send =
      content.kind === 'link'
        ? () => sendRedirect(res, content.href)
        : () =>
            showPage(req, res, 200, (words) =>
              contentPage({
                name,
                token,
                content,
                words,
                basePath: lane.basePath,
                mapsApp: mapsAppOf(req.headers['user-agent']),
                reportHref: lane.reportHref(token),
              }),
            );
    // Called by the producer, where nobody knows of the request any more.
    const leave = () =>
      guard(req, res, () => {
        send();
        shareSeconds.observe((performance.now() - startedAt) / 1000);
      });
    const headers = readScanHeaders(req.rawHeaders);
    const reason = lane.verdict(req.method, headers);
    if (reason !== undefined) {
      answers[reason] += 1;
      return leave();
    }
    const scan = {
      id: newScanId(now),
      codeId: target.codeId,
      userAgent: headers.userAgent,
      address: clientAddress(req.socket.remoteAddress, headers.forwardedFor, lane.trustProxyHops),
    };
    lane.producer.enqueue(scan, leave);
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const { method } = req;
    const url = originForm(req.url ?? '');
    if (!url.startsWith(prefix)) {
      // Koa would parse the host of a whole address, and fails where that is none.
      req.url = url;
      return next(req, res);
    }
    if (method !== 'GET' && method !== 'HEAD') {
      answers.bad_method += 1;
      res.setHeader('Allow', 'GET, HEAD');
      return showPage(req, res, 405, methodPage);
    }
    const asked = readAddress(url, performance.now());
    if (!isShareToken(asked.token)) return showNotFound(req, res);
    const found = lane.targets.find(asked.token);
    if (!(found instanceof Promise)) return answer(req, res, found, asked);
    found.then(
      (target) => guard(req, res, () => answer(req, res, target, asked)),
      (err: unknown) =>
        guard(req, res, () => {
          answers.unavailable += 1;
          tellUnavailable(err);
          res.setHeader('Retry-After', '5');
          showPage(req, res, 503, unavailablePage);
        }),
    );
  }

  return (req, res) => guard(req, res, () => handle(req, res));
}

/** What stands between the prefix and the query; a slash that was added behind it is nothing. */
function readAddress(url: string, startedAt: number): ShareRequest {
  const mark = url.indexOf('?');
  const end = mark < 0 ? url.length : mark;
  const path = url.slice(prefix.length, url[end - 1] === '/' ? end - 1 : end);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  const dot = path.length - 4;
  if (path[dot] !== '.') return { token: path, form: 'code', query, startedAt };
  const form = path.slice(dot + 1);
  // Any other ending belongs to no share address, and makes no token.
  return form === 'svg' || form === 'png' || form === 'vcf'
    ? { token: path.slice(0, dot), form, query, startedAt }
    : { token: path, form: 'code', query, startedAt };
}

function showPage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: (words: Words) => string,
): void {
  const words = chooseWords(req.headers['accept-language']);
  sendPage(res, status, page(words), words.lang);
}
