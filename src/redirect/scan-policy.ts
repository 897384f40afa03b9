import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

/** Why a request for a share link is not counted as a scan. */
type NotCounted = 'head' | 'prefetch' | 'crawler';

// Counted, because newcomers try the service with these. isbot takes them for bots.
const plainHttpTool =
  /^(?:curl|wget|httpie|xh|insomnia|postmanruntime|bruno|hoppscotch|python(?:-requests|-urllib|-httpx)?|aiohttp|node(?:-fetch|\.js)?|undici|axios|got|superagent|go-http-client|okhttp|java|apache-httpclient|guzzlehttp|php|ruby|faraday|rest-client|libwww-perl|lwp|powershell|windowspowershell|dart|reqwest|k6|autocannon|wrk|hey|ab|apachebench)\b/i;

/** Longer than what browsers send. Longer values are truncated before they are parsed or stored. */
const maxUserAgentLength = 500;
const maxPurposeLength = 100;

/** The request headers that the lane reads. */
interface ScanHeaders {
  /** At most 500 characters. */
  userAgent: string;
  forwardedFor: string | undefined;
  isPrefetch: boolean;
}

const purpose = /prefetch|prerender|preview/i;
const purposeHeaders = new Set(['sec-purpose', 'purpose', 'x-purpose', 'x-moz']);
const lengthsOfInterest = new Set(
  ['user-agent', 'x-forwarded-for', ...purposeHeaders].map((name) => name.length),
);

/** Reads raw headers, because `req.headers` would build an object of all of them for each redirect. */
export function readScanHeaders(rawHeaders: string[]): ScanHeaders {
  const found: ScanHeaders = { userAgent: '', forwardedFor: undefined, isPrefetch: false };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? '';
    if (!lengthsOfInterest.has(raw.length)) continue;
    const name = raw.toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (name === 'user-agent') found.userAgent ||= value.slice(0, maxUserAgentLength);
    else if (name === 'x-forwarded-for')
      found.forwardedFor = found.forwardedFor ? `${found.forwardedFor}, ${value}` : value;
    else if (purposeHeaders.has(name)) found.isPrefetch ||= purpose.test(value.slice(0, maxPurposeLength));
  }
  return found;
}

export type ScanPolicy = (method: string | undefined, headers: ScanHeaders) => NotCounted | undefined;

/** Caches the result for each user agent, because most scans come from a few of them. */
export function createScanPolicy(): ScanPolicy {
  const crawlers = new LRUCache<string, boolean>({ max: 5_000 });

  function isCrawler(userAgent: string): boolean {
    let result = crawlers.get(userAgent);
    if (result === undefined) {
      result = !plainHttpTool.test(userAgent) && isbot(withoutQrReaderApps(userAgent).trim());
      crawlers.set(userAgent, result);
    }
    return result;
  }

  return (method, { userAgent, isPrefetch }) => {
    if (method === 'HEAD') return 'head';
    if (isPrefetch) return 'prefetch';
    return userAgent !== '' && isCrawler(userAgent) ? 'crawler' : undefined;
  };
}

/**
 * Removes the names of QR reader apps, such as `QR Scanner/2.1` or `com.scanner.qr/3`, from a user agent. isbot takes
 * everything with "scan" for a bot, but these are people who scan. `QRScannerBot` stays: it is a bot.
 */
function withoutQrReaderApps(userAgent: string): string {
  // Every second part is a word, made of the characters that names contain.
  const parts = userAgent.split(/([\w./-]+)/);
  for (let index = 1; index < parts.length; index += 2) {
    const word = parts[index] ?? '';
    const next = parts[index + 1] === ' ' ? (parts[index + 2] ?? '') : '';
    const names = word.split('/');
    const at = names.findIndex(isQrReader);
    if (at >= 0) parts[index] = names.slice(0, at).join('/');
    else if (isQrReaderInTwoWords(word, next)) {
      parts[index] = '';
      parts[index + 2] = '';
    }
  }
  return parts.join('');
}

/** `QRScan/3.1`, `BarcodeScanner`, `scan.qr`: in either order. */
function isQrReader(written: string): boolean {
  const name = written.toLowerCase();
  const code = codeAt(name);
  const scan = name.indexOf('scan');
  return code >= 0 && scan >= 0 && !isBot(name.slice(Math.max(code, scan)));
}

/** `QR Scanner`, `Scan QR`. */
function isQrReaderInTwoWords(word: string, next: string): boolean {
  const [first, second] = [nameOf(word), nameOf(next)];
  if (word.includes('/') || isBot(second)) return false;
  return (codeAt(first) >= 0 && second.includes('scan')) || (first.includes('scan') && codeAt(second) === 0);
}

/** In lower case, without the version. */
function nameOf(word: string): string {
  return (word.split('/', 1)[0] ?? '').toLowerCase();
}

function codeAt(name: string): number {
  return name.search(/qr|bar-?code/);
}

function isBot(name: string): boolean {
  return /bot|crawl|spider/.test(name);
}
