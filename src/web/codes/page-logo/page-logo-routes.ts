import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import { deletePageLogo, findPageLogo, savePageLogo } from '../../../codes/share-page.ts';
import { AppError } from '../../../errors.ts';
import { maxAltLength } from '../../../codes/code-rules.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { type Refusal, labelErrors, refusalOf, requireValid, spendForm } from '../../ui/form.ts';
import type { Services } from '../../services.ts';
import { createPages } from '../../ui/page.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { PageLogoView } from './page-logo-view.tsx';
import { type Routes, createRoutes } from '../../routes.ts';

const flashTexts = {
  saved: 'The logo was saved. The share page shows it within seconds.',
  removed: 'The logo was removed.',
};

/** The page on which the owner of a code chooses the logo of its share page. */
export function pageLogoPages(parts: Services): Routes {
  const { db, logos, imageDecoder, now, codeChanged } = parts;
  const routes = createRoutes('/codes/:id/page-logo');

  const ownCode = (ctx: Context) => findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));

  const pages = createPages(parts, flashTexts);

  async function showPage(ctx: Context, refused?: Refusal & { alt: string }): Promise<void> {
    const code = await ownCode(ctx);
    const stored = await findPageLogo(db, code.id);
    const { alt = stored?.alt ?? '', errors = [], error, status = 200 } = refused ?? {};
    pages.show(ctx, PageLogoView, { code, stored, form: { values: { alt }, errors, error } }, { status });
  }

  routes.get('editor or demo', '/', (ctx) => showPage(ctx));

  routes.post('editor', '/', async (ctx) => {
    const code = await ownCode(ctx);
    const alt = normalizeLabel(field(ctx, 'alt'));
    const file = fileField(ctx, 'logo')?.bytes;
    try {
      requireValid(labelErrors('alt', alt, maxAltLength, 'Enter what it shows'));
      if (file) await spendForm(ctx, parts);
      const newLogo = file && (await readLogo(imageDecoder, callerOf(ctx), code.workspaceId, file));
      await savePageLogo(db, code, { newLogo, alt }, now());
    } catch (error) {
      // Browsers do not keep the file.
      const marked = 'Check the marked fields, and choose the logo again.';
      return showPage(ctx, { alt, ...refusalOf(error, { marked }) });
    }
    codeChanged(code.shareToken);
    pages.redirectWithFlash(ctx, `/codes/${code.id}/page-logo`, 'saved');
  });

  routes.post('editor', '/delete', async (ctx) => {
    const code = await ownCode(ctx);
    await deletePageLogo(db, code, now());
    codeChanged(code.shareToken);
    pages.redirectWithFlash(ctx, `/codes/${code.id}/page-logo`, 'removed');
  });

  /** Also of a private code, whose share page shows nothing. */
  routes.get('viewer or demo', '/picture.png', async (ctx) => {
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
