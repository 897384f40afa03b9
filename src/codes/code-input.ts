import { validate as isUuid } from 'uuid';
import { isShareToken } from './share-token.ts';

const sharePath = '/r/';

/** A code as an operator names it: its id, share token or share link. Of a link only the token is used, because the service may have several host names. */
export function parseCodeInput(text: string): string | undefined {
  const [given = ''] = text.trim().split(/[?#]/, 1);
  const at = given.lastIndexOf(sharePath);
  // A link may be that of a picture: /r/<token>.png
  const [token = ''] = at < 0 ? [given] : given.slice(at + sharePath.length).split(/[./]/, 1);
  if (isUuid(token)) return token.toLowerCase();
  return isShareToken(token) ? token : undefined;
}
