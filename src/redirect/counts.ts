import type { IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

/** Why a request for a share address is answered and not counted. */
type NotCounted = 'head' | 'prefetch' | 'crawler';

// A scan made with one of these counts: it is how a newcomer tries the service. isbot would call them bots.
const plainHttpTool =
  /^(?:curl|wget|httpie|xh|insomnia|postmanruntime|bruno|hoppscotch|python(?:-requests|-urllib|-httpx)?|aiohttp|node(?:-fetch|\.js)?|undici|axios|got|superagent|go-http-client|okhttp|java|apache-httpclient|guzzlehttp|php|ruby|faraday|rest-client|libwww-perl|lwp|powershell|windowspowershell|dart|reqwest|k6|autocannon|wrk|hey|ab|apachebench)\b/i;

export type ScanVerdict = (req: IncomingMessage) => NotCounted | undefined;

/** Judges by method and headers; what it found of a user agent is remembered, because few of them make most scans. */
export function createScanVerdict(): ScanVerdict {
  const crawlers = new LRUCache<string, boolean>({ max: 5_000 });

  function isCrawler(userAgent: string): boolean {
    let verdict = crawlers.get(userAgent);
    if (verdict === undefined) {
      verdict = !plainHttpTool.test(userAgent) && isbot(userAgent);
      crawlers.set(userAgent, verdict);
    }
    return verdict;
  }

  return ({ method, headers }) => {
    if (method === 'HEAD') return 'head';
    const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? headers['x-moz'];
    if (purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose))) return 'prefetch';
    const userAgent = headers['user-agent'];
    return userAgent !== undefined && isCrawler(userAgent) ? 'crawler' : undefined;
  };
}
