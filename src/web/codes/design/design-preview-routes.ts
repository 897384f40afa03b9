import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { defaultDesign } from '../../../codes/design/design.ts';
import { contentTypes } from '../../../codes/image/image-thread.ts';
import { pictureOf } from '../../../codes/proof/prove-design.ts';
import { findStyle } from '../../../codes/styles/styles.ts';
import { BusyError } from '../../../errors.ts';
import { parseQuery } from '../../../http/parse-url.ts';
import { callerOf } from '../../middleware/caller.ts';
import { type PageParts, userOf } from '../../ui/page.ts';
import { createDesignForm } from './design-form.ts';
import { type DesignSubject, subjectOfCode, subjectOfStyle } from './design-subject.ts';
import { designFieldNames, type DesignValues, valuesOfDesign } from './design-values.ts';
import { createLogoPreviews } from './logo-previews.ts';
import { createRoutes, type Routes } from '../../routes.ts';

/** Pictures of designs that are not saved. */
export function designPreviewRoutes(parts: PageParts): Routes {
  const { db, config, images, imageDecoder } = parts;
  const routes = createRoutes();
  const form = createDesignForm(parts, createLogoPreviews(imageDecoder));

  async function sendPicture(ctx: Context, subject: DesignSubject, values: DesignValues): Promise<void> {
    const { design, newLogo } = await form.read(ctx, subject, values);
    const picture = { ...pictureOf(subject.look, design, config.baseUrl), logo: newLogo?.png };
    const { body, etag } = await images.draw(callerOf(ctx), picture, 'svg').catch((cause: unknown) => {
      const message = 'The picture cannot be drawn right now. Try again shortly.';
      throw new BusyError(message, { retryAfterSeconds: 5, cause });
    });
    ctx.set({ 'Cache-Control': 'private, no-cache', ETag: etag });
    ctx.type = contentTypes.svg;
    ctx.body = body;
  }

  function addPreviews(designer: string, find: (ownerId: string, id: string) => Promise<DesignSubject>) {
    const subjectOf = (ctx: Context) => find(userOf(ctx).id, String(ctx['params'].id));

    routes.get('user', `${designer}/preview.svg`, async (ctx) => {
      const subject = await subjectOf(ctx);
      const given = parseQuery(ctx.querystring);
      // Omitted fields get their default, as in the API.
      const values = valuesOfDesign(defaultDesign, subject.look);
      for (const name of designFieldNames) values[name] = given.get(name)?.[0] ?? values[name] ?? '';
      await sendPicture(ctx, subject, values);
    });

    /** With a logo that is not saved yet: design.browser.js sends the whole form. */
    routes.post('user', `${designer}/preview`, async (ctx) =>
      sendPicture(ctx, await subjectOf(ctx), form.values(ctx)),
    );
  }

  addPreviews('/codes/:id/design', async (ownerId, id) => subjectOfCode(db, await findCode(db, ownerId, id)));
  addPreviews('/codes/styles/:id/design', async (ownerId, id) =>
    subjectOfStyle(await findStyle(db, ownerId, id)),
  );
  return routes;
}
