import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logos } from '../codes/design/stored-logo.ts';
import { matchesEtag } from '../http/matches-etag.ts';

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
