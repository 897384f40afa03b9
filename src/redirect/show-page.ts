import type { IncomingMessage, ServerResponse } from 'node:http';
import { chooseTranslation, type Translation } from './translations.ts';
import { sendPage } from './responses.ts';

/** In the language of the scanner. */
export function showPage(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  page: (translation: Translation) => string,
  policy?: string,
): void {
  const translation = chooseTranslation(req.headers['accept-language']);
  sendPage(res, status, page(translation), translation.lang, policy);
}
