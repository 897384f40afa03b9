import { validate as isUuid } from 'uuid';
import { isShareToken } from './share-token.ts';

/** Of share links, and of files. Both have the same length. */
const sharePath = '/r/';
const filePath = '/f/';

/**
 * A code as an operator names it: its id, share token, share link or the address of its file. Of an address only the token
 * is used, because the service may have several host names.
 */
export function parseCodeInput(text: string): string | undefined {
  const [given = ''] = text.trim().split(/[?#]/, 1);
  const at = Math.max(given.lastIndexOf(sharePath), given.lastIndexOf(filePath));
  // A link may be that of a picture: /r/<token>.png
  const [token = ''] = at < 0 ? [given] : given.slice(at + sharePath.length).split(/[./]/, 1);
  if (isUuid(token)) return token.toLowerCase();
  return isShareToken(token) ? token : undefined;
}
