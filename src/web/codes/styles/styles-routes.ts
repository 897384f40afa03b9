import type { Context } from 'koa';
import { normalizeLabel } from '../../../codes/label.ts';
import { contentTypes } from '../../../codes/image/image-thread.ts';
import {
  changeStyle,
  findStyle,
  findStyles,
  removeStyle,
  stylePicture,
} from '../../../codes/styles/styles.ts';
import { findRecentApplications, findRunningApplication } from '../../../codes/styles/style-applications.ts';
import { AppError, BusyError, type FieldError } from '../../../errors.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field } from '../../middleware/forms.ts';
import { readFlash, redirectWithFlash } from '../../ui/flash.ts';
import { type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { styleNameErrors } from './style-name.ts';
import { type StylesFlash, stylesFlashTexts } from './style-texts.ts';
import { DeleteStyleView, StyleView, StylesView } from './styles-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

const home = '/codes/styles';

/** Styles: list, rename, make one the default, delete. */
export function stylePages(parts: PageParts): Routes {
  const { db, config, images, now } = parts;
  const routes = createRoutes(home);

  const ownStyle = (ctx: Context) => findStyle(db, userOf(ctx).id, String(ctx['params'].id));
  const flashTo = (ctx: Context, path: string, key: StylesFlash) => redirectWithFlash(ctx, parts, path, key);
  const flashOf = (ctx: Context) => {
    const flash = readFlash(ctx, parts, stylesFlashTexts);
    return flash && stylesFlashTexts[flash];
  };

  routes.get('user', '/', async (ctx) => {
    const ownerId = userOf(ctx).id;
    show(ctx, StylesView, {
      visitor: visitorOf(ctx, parts),
      styles: await findStyles(db, ownerId),
      running: await findRunningApplication(db, ownerId),
      applications: await findRecentApplications(db, ownerId, now()),
      flash: flashOf(ctx),
    });
  });

  async function showStyle(ctx: Context, given?: { name: string; errors: FieldError[] }): Promise<void> {
    const style = await ownStyle(ctx);
    const { name = style.name, errors = [] } = given ?? {};
    const visitor = visitorOf(ctx, parts);
    const form = { values: { name }, errors };
    show(ctx, StyleView, { visitor, style, form, flash: flashOf(ctx) }, errors.length > 0 ? 400 : 200);
  }

  routes.get('user', '/:id', (ctx) => showStyle(ctx));

  routes.post('user', '/:id/rename', async (ctx) => {
    const style = await ownStyle(ctx);
    const name = normalizeLabel(field(ctx, 'name'));
    const errors = styleNameErrors(name, 'name');
    if (errors.length > 0) return showStyle(ctx, { name, errors });
    try {
      await changeStyle(db, style.userId, style.id, { name }, now());
    } catch (error) {
      if (!(error instanceof AppError) || !error.details) throw error;
      return showStyle(ctx, { name, errors: error.details });
    }
    flashTo(ctx, `${home}/${style.id}`, 'renamed');
  });

  routes.post('user', '/:id/default', async (ctx) => {
    const style = await ownStyle(ctx);
    const isDefault = field(ctx, 'isDefault') === 'true';
    await changeStyle(db, style.userId, style.id, { isDefault }, now());
    flashTo(ctx, home, isDefault ? 'isDefault' : 'noDefault');
  });

  routes.get('user', '/:id/delete', async (ctx) => {
    show(ctx, DeleteStyleView, { visitor: visitorOf(ctx, parts), style: await ownStyle(ctx) });
  });

  routes.post('user', '/:id/delete', async (ctx) => {
    const style = await ownStyle(ctx);
    await removeStyle(db, style.userId, style.id);
    flashTo(ctx, home, 'deleted');
  });

  routes.get('user', '/:id/picture.svg', async (ctx) => {
    const { design } = await ownStyle(ctx);
    const { body, etag } = await images
      .draw(callerOf(ctx), stylePicture(design, config.baseUrl), 'svg')
      .catch((cause: unknown) => {
        const message = 'The picture cannot be drawn right now. Try again shortly.';
        throw new BusyError(message, { retryAfterSeconds: 5, cause });
      });
    ctx.set({ 'Cache-Control': 'private, no-cache', ETag: etag });
    ctx.type = contentTypes.svg;
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = body;
  });
  return routes;
}
