import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { isLabel, normalizeLabel } from '../../../codes/label.ts';
import { deletePageLogo, findPageLogo, savePageLogo } from '../../../codes/share-page.ts';
import { AppError, BusyError, type FieldError, invalid } from '../../../errors.ts';
import { maxAltLength } from '../../../codes/code-rules.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { refusedByLimit, spendForm } from '../../form-quota.ts';
import { readFlash, redirectWithFlash } from '../../ui/flash.ts';
import { type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { PageLogoView } from './page-logo-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

const flashTexts = {
  saved: 'The logo was saved. The share page shows it within seconds.',
  removed: 'The logo was removed.',
};
type Flash = keyof typeof flashTexts;

/** The page on which the owner of a code chooses the logo of its share page. */
export function pageLogoPages(parts: PageParts): Routes {
  const { db, logos, imageDecoder, now, codeChanged } = parts;
  const routes = createRoutes('/codes/:id/page-logo');

  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));

  interface Refused {
    alt: string;
    errors: FieldError[];
    problem: string;
    status: number;
  }

  async function showPage(ctx: Context, refused?: Refused): Promise<void> {
    const code = await ownCode(ctx);
    const stored = await findPageLogo(db, code.id);
    const flash = readFlash(ctx, parts, flashTexts);
    const form = { values: { alt: refused?.alt ?? stored?.alt ?? '' }, errors: refused?.errors ?? [] };
    show(
      ctx,
      PageLogoView,
      {
        visitor: visitorOf(ctx, parts),
        code,
        form,
        stored,
        problem: refused?.problem,
        flash: flash && flashTexts[flash],
      },
      refused?.status ?? 200,
    );
  }

  routes.get('user', '/', (ctx) => showPage(ctx));

  routes.post('user', '/', async (ctx) => {
    const code = await ownCode(ctx);
    const alt = normalizeLabel(field(ctx, 'alt'));
    const file = fileField(ctx, 'logo')?.bytes;
    try {
      const errors = altErrors(alt);
      if (errors.length > 0) throw invalid(errors);
      if (file) await spendForm(ctx, parts);
      const newLogo = file && (await readLogo(imageDecoder, callerOf(ctx), code.userId, file));
      await savePageLogo(db, code, { newLogo, alt }, now());
    } catch (error) {
      return showPage(ctx, { alt, ...refusalOf(error) });
    }
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}/page-logo`, 'saved' satisfies Flash);
  });

  routes.post('user', '/delete', async (ctx) => {
    const code = await ownCode(ctx);
    await deletePageLogo(db, code.id, now());
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}/page-logo`, 'removed' satisfies Flash);
  });

  /** Also of a private code, whose share page shows nothing. */
  routes.get('user', '/picture.png', async (ctx) => {
    const code = await ownCode(ctx);
    const stored = await findPageLogo(db, code.id);
    const png = stored && (await logos.find(stored.logo));
    if (!png) throw new AppError('not_found', 'The share page of this code has no logo.');
    ctx.set('Cache-Control', 'private, no-cache');
    ctx.type = 'image/png';
    ctx.body = Buffer.from(png);
  });
  return routes;
}

function altErrors(alt: string): FieldError[] {
  if (alt === '') return [{ field: 'alt', message: 'must not be empty' }];
  if ([...alt].length > maxAltLength)
    return [{ field: 'alt', message: `must have at most ${maxAltLength} characters` }];
  return isLabel(alt) ? [] : [{ field: 'alt', message: 'must not contain invisible characters' }];
}

function refusalOf(error: unknown): { errors: FieldError[]; problem: string; status: number } {
  const refused = refusedByLimit(error);
  if (refused) return { ...refused, errors: [] };
  if (error instanceof BusyError) return { errors: [], problem: error.message, status: error.status };
  if (!(error instanceof AppError) || !error.details) throw error;
  // Browsers do not keep the file.
  const problem = 'Not saved. Check the marked fields, and choose the logo again.';
  return { errors: error.details, problem, status: 400 };
}
