import { validate as isUuid } from 'uuid';
import { isShareToken } from './share-token.ts';

const maxLength = 2_000;

/** A code as an operator names it: its id, share token or share link. Of a link only the token is used, because the service may have several host names. */
export function parseCodeInput(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  const given = text.trim();
  const token = /\/r\/([^/?#.]*)(?:\.\w+)?\/?(?:[?#].*)?$/.exec(given)?.[1] ?? given;
  if (isUuid(token)) return token.toLowerCase();
  return isShareToken(token) ? token : undefined;
}
