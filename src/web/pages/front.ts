import Router from '@koa/router';
import { drawSvg } from '../../codes/image/draw.ts';
import { FrontView } from '../views/front.tsx';
import { type PageParts, show, visitorOf } from './page.ts';

/** Handed over by the page of the account; a word, so that nobody can put sentences of their own there. */
export const accountDeleted = 'account-deleted';
const deletedText = 'Your account was deleted, with all its keys, codes and scans.';

/** The front page: what this is, a picture to try it with, and the next step. */
export function frontPage(parts: PageParts): Router {
  const { config, sessions } = parts;
  const { baseUrl, qrCodeLifetimeDays: lifetimeDays } = config;
  // It opens this page on the phone that scans it. Drawn once: it is the same for everybody.
  const picture = drawSvg({
    text: `${baseUrl}/`,
    errorCorrection: 'M',
    size: 216,
    foregroundColor: '#0b3b34',
    backgroundColor: '#ffffff',
  });
  const router = new Router();
  router.get('/', (ctx) => {
    const done = sessions.takeOver(ctx) === accountDeleted ? deletedText : undefined;
    show(ctx, FrontView, { visitor: visitorOf(ctx, parts), baseUrl, picture, lifetimeDays, done });
  });
  return router;
}
