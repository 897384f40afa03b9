import type { Context } from 'koa';
import { normalizeLabel } from '../../../codes/label.ts';
import { contentTypes } from '../../../codes/image/image-thread.ts';
import {
  type Style,
  changeStyle,
  findStyle,
  findStyles,
  removeStyle,
  stylePicture,
} from '../../../codes/styles/styles.ts';
import { findRecentApplications, findRunningApplication } from '../../../codes/styles/style-applications.ts';
import { BusyError, type FieldError } from '../../../errors.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field } from '../../middleware/forms.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import { labelErrors, requireValid, submit } from '../../ui/form.ts';
import { type PageParts, createPages, userOf } from '../../ui/page.ts';
import {
  DeleteStyleView,
  StyleView,
  StylesView,
  maxStyleNameLength,
  stylesFlashTexts,
} from './styles-view.tsx';

const home = '/codes/styles';

/** Styles: list, rename, make one the default, delete. */
export function stylePages(parts: PageParts): Routes {
  const { db, config, images, now } = parts;
  const routes = createRoutes(home);

  const ownStyle = (ctx: Context) => findStyle(db, userOf(ctx).id, String(ctx['params'].id));
  const pages = createPages(parts, stylesFlashTexts);

  routes.get('user', '/', async (ctx) => {
    const ownerId = userOf(ctx).id;
    pages.show(ctx, StylesView, {
      styles: await findStyles(db, ownerId),
      running: await findRunningApplication(db, ownerId),
      applications: await findRecentApplications(db, ownerId, now()),
    });
  });

  function showStyle(ctx: Context, style: Style, name = style.name, errors: FieldError[] = []): void {
    const error = errors.length > 0 ? 'Not saved. Check the marked field.' : undefined;
    const form = { values: { name }, errors, error };
    pages.show(ctx, StyleView, { style, form }, { status: error ? 400 : 200 });
  }

  routes.get('user', '/:id', async (ctx) => showStyle(ctx, await ownStyle(ctx)));

  routes.post('user', '/:id/rename', async (ctx) => {
    const style = await ownStyle(ctx);
    const name = normalizeLabel(field(ctx, 'name'));
    const rename = async () => {
      requireValid(labelErrors('name', name, maxStyleNameLength, 'Enter a name'));
      await changeStyle(db, style.userId, style.id, { name }, now());
      pages.redirectWithFlash(ctx, `${home}/${style.id}`, 'renamed');
    };
    await submit(rename, (errors) => showStyle(ctx, style, name, errors));
  });

  routes.post('user', '/:id/default', async (ctx) => {
    const style = await ownStyle(ctx);
    const isDefault = field(ctx, 'isDefault') === 'true';
    await changeStyle(db, style.userId, style.id, { isDefault }, now());
    pages.redirectWithFlash(ctx, home, isDefault ? 'isDefault' : 'noDefault');
  });

  routes.get('user', '/:id/delete', async (ctx) => {
    pages.show(ctx, DeleteStyleView, { style: await ownStyle(ctx) });
  });

  routes.post('user', '/:id/delete', async (ctx) => {
    const style = await ownStyle(ctx);
    await removeStyle(db, style.userId, style.id);
    pages.redirectWithFlash(ctx, home, 'deleted');
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
