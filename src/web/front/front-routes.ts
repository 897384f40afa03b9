import { drawSvg } from '../../codes/image/draw.ts';
import { FrontView } from './front-view.tsx';
import { createPages } from '../ui/page.ts';
import type { Services } from '../services.ts';
import { type Routes, createRoutes } from '../routes.ts';

const flashTexts = { accountDeleted: 'Your account was deleted, with all its keys, codes and scans.' };
export type FrontFlash = keyof typeof flashTexts;

/** The front page. */
export function frontPage(parts: Services): Routes {
  const { baseUrl, qrCodeLifetimeDays: lifetimeDays } = parts.config;
  // Drawn once: it is the same for everybody.
  const picture = drawSvg({
    text: `${baseUrl}/`,
    errorCorrection: 'M',
    size: 216,
    foregroundColor: '#0b3b34',
    backgroundColor: '#ffffff',
  });
  const routes = createRoutes();
  const pages = createPages(parts, flashTexts);
  routes.get('stranger', '/', (ctx) => pages.show(ctx, FrontView, { baseUrl, picture, lifetimeDays }));
  return routes;
}
