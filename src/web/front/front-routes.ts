import { readableAccents } from '../../brand.ts';
import { brandColor } from '../../demo/demo-codes.ts';
import { once } from '../../runtime/once.ts';
import { drawFrontCodes } from './front-code.ts';
import { FrontView } from './front-view.tsx';
import { signedIn } from '../middleware/session.ts';
import { createPages, redirect } from '../ui/page.ts';
import type { Services } from '../services.ts';
import { type Routes, createRoutes } from '../routes.ts';

/** Shown by the sign-in page where there is no landing page. */
export const frontFlashTexts = {
  accountDeleted: 'Your account was deleted, with all its keys, codes and scans.',
};
export type FrontFlash = keyof typeof frontFlashTexts;

/** The landing page, or the way to the pages behind it. */
export function frontPage(parts: Services): Routes {
  const { baseUrl, brand, hasDemo, hasLandingPage, qrCodeLifetimeDays: lifetimeDays } = parts.config;
  const routes = createRoutes();
  const pages = createPages(parts, frontFlashTexts);
  // They are the same for everybody.
  const codes = once(() =>
    drawFrontCodes({
      scanned: hasDemo ? `${baseUrl}/demo/scan` : `${baseUrl}/`,
      baseUrl,
      color: brand.color === undefined ? brandColor : readableAccents(brand.color).light,
    }),
  );

  routes.get('stranger', '/', async (ctx) => {
    if (!hasLandingPage) return redirect(ctx, signedIn(ctx) ? '/codes' : '/signin');
    if (ctx.method === 'GET' && !signedIn(ctx)) parts.demo?.prepare();
    pages.show(ctx, FrontView, { baseUrl, codes: await codes(), lifetimeDays, hasDemo });
  });
  return routes;
}
