import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { clientAddress } from '../client-address.ts';
import { isShareToken } from '../codes/share-token.ts';
import type { ScanProducer } from '../queue/producer.ts';
import { newScanId } from '../scans/scan-id.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { readScanHeaders, type ScanVerdict } from './counts.ts';
import {
  contentPage,
  expiredPage,
  methodPage,
  notFoundPage,
  pagePolicy,
  unavailablePage,
} from './share-pages.ts';
import type { Target, Targets } from './targets.ts';

const prefix = '/r/';
const longestUserAgent = 500;

interface Lane {
  targets: Targets;
  producer: ScanProducer;
  verdict: ScanVerdict;
  trustProxyHops: number;
  nowMs: () => number;
  metrics: Metrics;
  log: Log;
}

/**
 * The scan lane: answers what is below `/r/` in front of everything else, and hands all other requests on. A redirect
 * leaves when its scan is in the queue, or when the producer says that waiting longer would hold it up.
 */
export function createLane(lane: Lane, next: RequestListener): RequestListener {
  function answer(req: IncomingMessage, res: ServerResponse, target: Target | null): void {
    const now = lane.nowMs();
    if (!target?.isPublic) return sendPage(res, 404, notFoundPage());
    if (target.expiresAtMs <= now) return sendPage(res, 410, expiredPage());
    const leave = target.location
      ? () => sendRedirect(res, target.location as string)
      : () => sendPage(res, 200, contentPage(target));
    const headers = readScanHeaders(req.rawHeaders);
    const reason = lane.verdict(req.method, headers);
    if (reason !== undefined) {
      lane.metrics.shareAnswers.inc({ outcome: reason });
      return leave();
    }
    const scan = {
      id: newScanId(now),
      codeId: target.codeId,
      userAgent: headers.userAgent.slice(0, longestUserAgent),
      address: clientAddress(req.socket.remoteAddress, headers.forwardedFor, lane.trustProxyHops),
    };
    lane.producer.record(scan, leave);
  }

  return (req, res) => {
    const { url = '', method } = req;
    if (!url.startsWith(prefix)) return next(req, res);
    if (method !== 'GET' && method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      return sendPage(res, 405, methodPage());
    }
    const token = tokenOf(url);
    if (!isShareToken(token)) return sendPage(res, 404, notFoundPage());
    const found = lane.targets.find(token);
    if (!(found instanceof Promise)) return answer(req, res, found);
    found.then(
      (target) => answer(req, res, target),
      (err: unknown) => {
        lane.log.error({ err }, 'a share address could not be looked up');
        res.setHeader('Retry-After', '5');
        sendPage(res, 503, unavailablePage());
      },
    );
  };
}

/** What stands between the prefix and the query; a slash that was added behind it is nothing. */
function tokenOf(url: string): string {
  const query = url.indexOf('?');
  const end = query < 0 ? url.length : query;
  return url.slice(prefix.length, url[end - 1] === '/' ? end - 1 : end);
}

function sendRedirect(res: ServerResponse, location: string): void {
  res.writeHead(302, ['Location', location, 'Cache-Control', 'no-store', 'Content-Length', '0']);
  res.end();
}

function sendPage(res: ServerResponse, status: number, page: string): void {
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': pagePolicy,
  });
  res.end(page);
}
