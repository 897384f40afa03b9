import Router from '@koa/router';
import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { defaultDesign } from '../../../codes/design/design.ts';
import { contentTypes } from '../../../codes/image/image-thread.ts';
import { pictureOf } from '../../../codes/proof/prove-design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { BusyError } from '../../../errors.ts';
import { parseQuery } from '../../../http/query-string.ts';
import { needUser, type PageParts, userOf } from '../../ui/page.ts';
import { createDesignForm } from './design-form.ts';
import { designFieldNames, type DesignValues, valuesOfDesign } from './design-values.ts';
import { createLogoPreviews } from './logo-previews.ts';

/** Pictures of designs that are not saved. */
export function designPreviewRoutes(parts: PageParts): Router {
  const { db, config, images, imageDecoder } = parts;
  const router = new Router({ prefix: '/codes/:id/design' });
  router.use(needUser);
  const form = createDesignForm(parts, createLogoPreviews(imageDecoder));
  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));

  async function sendPicture(ctx: Context, code: QrCode, values: DesignValues): Promise<void> {
    const { design, newLogo } = await form.read(ctx, code, values);
    const picture = { ...pictureOf(code, design, config.baseUrl), logo: newLogo?.png };
    const { body, etag } = await images.draw(picture, 'svg').catch((cause: unknown) => {
      const message = 'The picture cannot be drawn right now. Try again shortly.';
      throw new BusyError(message, { retryAfterSeconds: 5, cause });
    });
    ctx.set({ 'Cache-Control': 'private, no-cache', ETag: etag });
    ctx.type = contentTypes.svg;
    ctx.body = body;
  }

  router.get('/preview.svg', async (ctx) => {
    const code = await ownCode(ctx);
    const given = parseQuery(ctx.querystring);
    // Omitted fields get their default, as in the API.
    const values = valuesOfDesign(defaultDesign, code);
    for (const name of designFieldNames) values[name] = given.get(name)?.[0] ?? values[name] ?? '';
    await sendPicture(ctx, code, values);
  });

  /** With a logo that is not saved yet: design.browser.js sends the whole form. */
  router.post('/preview', async (ctx) => sendPicture(ctx, await ownCode(ctx), form.values(ctx)));
  return router;
}
