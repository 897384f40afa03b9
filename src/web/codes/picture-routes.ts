import type { Context } from 'koa';
import type { QrCode } from '../../codes/qr-code.ts';
import { findCode } from '../../codes/codes.ts';
import { readPrint } from '../../codes/design/design.ts';
import { findDesign } from '../../codes/design/stored-design.ts';
import { type Picture } from '../../codes/image/draw.ts';
import { type ImageFormat, type Images, contentTypes, logoPolicy } from '../../codes/image/image-thread.ts';
import { fitsSymbol, tooLongToDraw } from '../../codes/image/symbol.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { parseQuery } from '../../http/parse-url.ts';
import { attachment } from '../../http/file-headers.ts';
import { AppError, BusyError } from '../../errors.ts';
import { callerOf } from '../middleware/caller.ts';
import { retryAfterSeconds } from '../middleware/errors.ts';
import type { Services } from '../services.ts';
import { workspaceIdOf } from '../middleware/session.ts';
import { type Routes, createRoutes } from '../routes.ts';

/** Pictures of a code for its owner, private or not. */
export function codePictureRoutes({ db, config, images }: Services): Routes {
  const routes = createRoutes('/codes');
  for (const format of ['svg', 'png', 'pdf'] as const) {
    routes.get('viewer or demo', `/:id/picture.${format}`, async (ctx) => {
      const code = await findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));
      const isDirect = ctx.query['encode'] === 'content';
      const picture = await codePicture({ db, config }, code, isDirect);
      ctx.set('Cache-Control', 'private, no-cache');
      // The two pictures look alike, so their file names differ. In the extension, because a long name is cut.
      const ending = isDirect ? `static.${format}` : format;
      const isFile = 'download' in ctx.query;
      if (isFile) ctx.set('Content-Disposition', attachment(code.name, ending, code.shareToken));
      const print = format === 'pdf' ? readPrint(parseQuery(ctx.querystring)) : undefined;
      if (typeof print === 'string') throw new AppError('validation_error', print);
      await sendPicture(ctx, images, { ...(isFile ? picture : onPaper(picture)), print }, format);
    });
  }

  return routes;
}

/** What is drawn of a code: its share link in its design, or its content. Throws if that is too long. */
export async function codePicture(
  { db, config }: Pick<Services, 'db' | 'config'>,
  code: QrCode,
  isDirect: boolean,
): Promise<Picture> {
  const text = isDirect ? code.content : shareUrl(config.baseUrl, code.shareToken);
  if (!fitsSymbol(text, code.errorCorrection)) throw new AppError('not_found', tooLongToDraw);
  // A design is proven with the share link only.
  const stored = isDirect ? undefined : await findDesign(db, code.id);
  const { errorCorrection, size, foregroundColor, backgroundColor } = code;
  return { errorCorrection, size, foregroundColor, backgroundColor, text, design: stored?.design };
}

/** For pages, which may be dark: without a background of its own, the code is drawn on white paper. */
export function onPaper(picture: Picture): Picture {
  const { design, backgroundColor } = picture;
  if (!design?.transparentBackground) return picture;
  const frameTextColor = design.frameTextColor ?? backgroundColor;
  return {
    ...picture,
    backgroundColor: '#ffffff',
    design: { ...design, transparentBackground: false, frameTextColor },
  };
}

/** Responds with the picture, or with 304 where the client has it. */
export async function sendPicture(
  ctx: Context,
  images: Images,
  picture: Picture,
  format: ImageFormat = 'svg',
): Promise<void> {
  const { body, etag } = await images.draw(callerOf(ctx), picture, format).catch(busyDrawing);
  ctx.type = contentTypes[format];
  ctx.set('ETag', etag);
  if (picture.design?.logo) ctx.set('Content-Security-Policy', logoPolicy);
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = body;
}

export function busyDrawing(cause: unknown): never {
  const message = 'The picture cannot be drawn right now. Try again shortly.';
  throw new BusyError(message, { retryAfterSeconds, cause });
}
