import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { partsBetween } from '../codes/files/stored-file.ts';
import { extensions, opensFile } from '../codes/files/upload.ts';
import type { ServedFile, ServedFiles } from '../codes/files/served-files.ts';
import { isShareToken } from '../codes/share-token.ts';
import { BusyError } from '../errors.ts';
import { type ByteRange, inline, matchesEtag, parseRange } from '../http/file-headers.ts';
import { sendInternalError } from '../http/malformed-request.ts';
import { type Caller, createFairScheduler } from '../runtime/fair-scheduler.ts';
import type { Log } from '../telemetry/log.ts';
import { throttle } from '../telemetry/throttle.ts';
import type { WebMetrics } from '../telemetry/web-metrics.ts';
import { createNotices } from './responses.ts';
import type { PageSite } from './pages/layout.ts';
import { type Targets, TooManyLookupsError } from './targets.ts';

const prefix = '/f/';
const tokenLength = 10;
/** For the list of routes. */
export const filePath = `${prefix}:token/:name`;

interface FileLaneOptions {
  site: Required<PageSite>;
  targets: Targets;
  files: ServedFiles;
  reportHref: (token: string) => string | undefined;
  /** Who shares the bounds of a client. */
  clientOf: (req: IncomingMessage) => string;
  nowMs: () => number;
  metrics: WebMetrics;
  log: Log;
}

/** Handles requests to `/f/<token>/<name>`, and passes on all others. No file is a scan: the redirect to it was one. */
export function createFileLane(lane: FileLaneOptions, next: RequestListener): RequestListener {
  const { shareAnswers: answers } = lane.metrics;
  const { show, showNotFound, showGone, showBadMethod, showUnavailable } = createNotices(lane);
  const sendParts = createPartSender(lane.files);
  const logUnavailable = throttle((err, times) => lane.log.error({ err, times }, 'files could not be read'));

  async function serve(req: IncomingMessage, res: ServerResponse, token: string): Promise<void> {
    const target = await lane.targets.find(token, req);
    if (!target?.isPublic) return showNotFound(req, res);
    if (target.isBlocked || target.expiresAtMs <= lane.nowMs()) return showGone(req, res, target, token);
    const file = await lane.files.find(target.codeId);
    if (!file) {
      // Scans of the code are still sent here.
      const { type, picture } = target;
      if (!opensFile({ type, content: picture.content, shareToken: token })) return showNotFound(req, res);
      answers.not_found += 1;
      return show(req, res, 410, 'fileRemoved', { token, target });
    }
    answers.file += 1;
    return send(req, res, file);
  }

  async function send(req: IncomingMessage, res: ServerResponse, file: ServedFile): Promise<void> {
    const { headers, method } = req;
    if (matchesEtag(headers['if-none-match'], etagOf(file))) {
      res.writeHead(304, validators(file)).end();
      return;
    }
    // With another version, a client that has a part of it needs the whole.
    const ifRange = headers['if-range'];
    const isWanted = method === 'GET' && (ifRange === undefined || ifRange === etagOf(file));
    const range = isWanted ? parseRange(headers.range, file.bytes) : undefined;
    if (range === 'unsatisfiable') {
      res.writeHead(416, { 'Content-Range': `bytes */${file.bytes}`, 'Content-Length': 0 }).end();
      return;
    }
    const { start, end } = range ?? { start: 0, end: file.bytes - 1 };
    const responseHeaders = {
      ...fileHeaders(file),
      'Content-Length': end + 1 - start,
      ...(range && { 'Content-Range': `bytes ${start}-${end}/${file.bytes}` }),
    };
    if (method === 'HEAD') {
      res.writeHead(200, responseHeaders).end();
      return;
    }
    const writeHead = () => void res.writeHead(range ? 206 : 200, responseHeaders);
    await sendParts(res, lane.clientOf(req), file.id, { start, end }, writeHead);
  }

  function fail(req: IncomingMessage, res: ServerResponse, err: unknown): void {
    if (!(err instanceof BusyError || err instanceof TooManyLookupsError)) logUnavailable(err);
    if (res.headersSent) return sendInternalError(res);
    showUnavailable(req, res, err);
  }

  return (req, res) => {
    const { url = '' } = req;
    if (!url.startsWith(prefix)) return next(req, res);
    if (req.method !== 'GET' && req.method !== 'HEAD') return showBadMethod(req, res);
    const token = url.slice(prefix.length, prefix.length + tokenLength);
    if (!isShareToken(token) || url[prefix.length + tokenLength] !== '/') return showNotFound(req, res);
    serve(req, res, token).catch((err: unknown) => fail(req, res, err));
  };
}

const locked = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Whatever a browser takes the file for, it has no origin and loads nothing. */
const imagePolicy = `${locked}; sandbox`;
/**
 * The viewer of Safari is a document of its own with inline styles, and stays empty for a PDF with a script unless scripts
 * are allowed in the sandbox. A script of a PDF cannot reach the site.
 */
const pdfPolicy = `${locked}; style-src 'unsafe-inline'; sandbox allow-scripts`;

const etagOf = ({ id }: ServedFile) => `"${id}"`;

/** Headers of every response that is about the file, also without its bytes. */
function fileHeaders(file: ServedFile): Record<string, string> {
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
function validators(file: ServedFile): Record<string, string> {
  return { ETag: etagOf(file), 'Cache-Control': 'no-cache', 'Accept-Ranges': 'bytes' };
}

/** A file of 10 MB at 20 KB a second. A client that reads nothing is disconnected much earlier. */
const maxResponseMs = 10 * 60_000;

/** Sends a range of a file. `start` writes the head, once it is certain that bytes follow. */
type SendParts = (
  res: ServerResponse,
  client: string,
  fileId: string,
  range: ByteRange,
  start: () => void,
) => Promise<void>;

/** Reads the next part when the client has taken the last one. Clients take turns. */
function createPartSender({ readPart }: Pick<ServedFiles, 'readPart'>): SendParts {
  // Each holds one chunk of ours, and megabytes in the buffers of the system if its client does not read. Guests of a
  // restaurant share an address: they wait for each other.
  const responses = createFairScheduler({
    slots: 100,
    slotsPerKey: 20,
    reservedSlots: 50,
    waitingPerKey: 100,
    waiting: 500,
    maxWaitMs: 10_000,
  });
  // Share links use the same database connections. Parsing a chunk takes the event loop a millisecond.
  const reading = createFairScheduler({ slots: 2, waitingPerKey: 20, waiting: 100 });

  async function send(
    res: ServerResponse,
    client: Caller,
    fileId: string,
    range: ByteRange,
    start: () => void,
  ): Promise<void> {
    const endsAt = performance.now() + maxResponseMs;
    for (const part of partsBetween(range.start, range.end)) {
      const data = await reading.run(client, () => readPart(fileId, part));
      if (res.destroyed) return;
      // Replaced or deleted meanwhile: the client must not take what it has for the whole.
      if (data?.length !== part.length || performance.now() > endsAt) {
        if (!res.headersSent) throw new BusyError('The file was replaced.', { retryAfterSeconds: 5 });
        res.destroy();
        return;
      }
      if (!res.headersSent) start();
      if (!res.write(data)) await drained(res);
      // A part that the system takes at once is drained in the same turn of the event loop. Other requests go on in between.
      await setImmediate();
      if (res.destroyed) return;
    }
    res.end();
  }

  return async (res, key, fileId, range, start) => {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const client: Caller = { key, signal: gone.signal };
    await responses.run(client, () => send(res, client, fileId, range, start));
  };
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.once('drain', done);
    res.once('close', done);
  });
}
