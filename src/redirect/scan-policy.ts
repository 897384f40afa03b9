import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { withoutCodeReaders } from './code-readers.ts';

/** Why a request for a share address is answered and not counted. */
type NotCounted = 'head' | 'prefetch' | 'crawler';

// A scan made with one of these counts: it is how a newcomer tries the service. isbot would call them bots.
const plainHttpTool =
  /^(?:curl|wget|httpie|xh|insomnia|postmanruntime|bruno|hoppscotch|python(?:-requests|-urllib|-httpx)?|aiohttp|node(?:-fetch|\.js)?|undici|axios|got|superagent|go-http-client|okhttp|java|apache-httpclient|guzzlehttp|php|ruby|faraday|rest-client|libwww-perl|lwp|powershell|windowspowershell|dart|reqwest|k6|autocannon|wrk|hey|ab|apachebench)\b/i;

/** More than a browser sends. Whatever is longer is cut before anything looks at it, and is stored so. */
const longestUserAgent = 500;
const longestPurpose = 100;

/** What the lane reads of a request's headers. */
export interface ScanHeaders {
  /** At most 500 characters of it. */
  userAgent: string;
  forwardedFor: string | undefined;
  isPrefetch: boolean;
}

const purpose = /prefetch|prerender|preview/i;
const purposeHeaders = new Set(['sec-purpose', 'purpose', 'x-purpose', 'x-moz']);
const lengthsOfInterest = new Set(
  ['user-agent', 'x-forwarded-for', ...purposeHeaders].map((name) => name.length),
);

/** From the headers as they came. Asked for `req.headers`, Node would make an object of all of them, for each redirect. */
export function readScanHeaders(rawHeaders: string[]): ScanHeaders {
  const found: ScanHeaders = { userAgent: '', forwardedFor: undefined, isPrefetch: false };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? '';
    if (!lengthsOfInterest.has(raw.length)) continue;
    const name = raw.toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    if (name === 'user-agent') found.userAgent ||= value.slice(0, longestUserAgent);
    else if (name === 'x-forwarded-for')
      found.forwardedFor = found.forwardedFor ? `${found.forwardedFor}, ${value}` : value;
    else if (purposeHeaders.has(name)) found.isPrefetch ||= purpose.test(value.slice(0, longestPurpose));
  }
  return found;
}

export type ScanPolicy = (method: string | undefined, headers: ScanHeaders) => NotCounted | undefined;

/** What it found of a user agent is remembered, because few of them make most scans. */
export function createScanPolicy(): ScanPolicy {
  const crawlers = new LRUCache<string, boolean>({ max: 5_000 });

  function isCrawler(userAgent: string): boolean {
    let verdict = crawlers.get(userAgent);
    if (verdict === undefined) {
      verdict = !plainHttpTool.test(userAgent) && isbot(withoutCodeReaders(userAgent).trim());
      crawlers.set(userAgent, verdict);
    }
    return verdict;
  }

  return (method, { userAgent, isPrefetch }) => {
    if (method === 'HEAD') return 'head';
    if (isPrefetch) return 'prefetch';
    return userAgent !== '' && isCrawler(userAgent) ? 'crawler' : undefined;
  };
}
