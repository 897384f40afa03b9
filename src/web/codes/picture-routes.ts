import type { Context } from 'koa';
import type { Static } from 'typebox';
import { findCode } from '../../codes/codes.ts';
import { readPrint } from '../../codes/design/design.ts';
import { findDesign } from '../../codes/design/stored-design.ts';
import { type Picture, markAsSample } from '../../codes/image/draw.ts';
import { type ImageFormat, type Images, contentTypes, logoPolicy } from '../../codes/image/image-thread.ts';
import { fitsSymbol, tooLongToDraw } from '../../codes/image/symbol.ts';
import { pictureWarnings } from '../../codes/scannability.ts';
import { shareUrl } from '../../codes/share-token.ts';
import { parseQuery } from '../../http/parse-url.ts';
import { attachment } from '../../http/file-headers.ts';
import { AppError, BusyError, invalid } from '../../errors.ts';
import { createDefaults, patchBody } from '../../codes/code-rules.ts';
import { compileValidator, readQuery } from '../../codes/validation.ts';
import { callerOf } from '../middleware/caller.ts';
import { retryAfterSeconds } from '../middleware/errors.ts';
import { isDirectFirst } from './downloads.tsx';
import { withFieldsInWords } from '../ui/words.tsx';
import type { Services } from '../services.ts';
import { userOf } from '../middleware/session.ts';
import { type Routes, createRoutes } from '../routes.ts';

const previewSeconds = 60;
/** A new code has no share token yet. Its preview uses one of the same length. */
const placeholderToken = '0000000000';
/** The text in a sample. Every share link is at least as long. */
const sampleText = 'Sample: not saved yet';
const designErrors = compileValidator(patchBody);

export type Design = Omit<Picture, 'text' | 'design' | 'logo' | 'print'>;

/** Pictures for the owner: of a code, private or not, and previews of a design. */
export function codePictureRoutes({ db, config, images }: Services): Routes {
  const routes = createRoutes('/codes');
  const send = (ctx: Context, picture: Picture, format: ImageFormat) =>
    sendPicture(ctx, images, picture, format);

  for (const format of ['svg', 'png', 'pdf'] as const) {
    routes.get('user', `/:id/picture.${format}`, async (ctx) => {
      const code = await findCode(db, userOf(ctx).id, String(ctx['params'].id));
      const isDirect = ctx.query['encode'] === 'content';
      const text = isDirect ? code.content : shareUrl(config.baseUrl, code.shareToken);
      if (!fitsSymbol(text, code.errorCorrection)) throw new AppError('not_found', tooLongToDraw);
      ctx.set('Cache-Control', 'private, no-cache');
      // The two pictures look alike, so their file names differ. In the extension, because a long name is cut.
      const ending = isDirect ? `direct.${format}` : format;
      if ('download' in ctx.query)
        ctx.set('Content-Disposition', attachment(code.name, ending, code.shareToken));
      // A design is proven with the share link only.
      const stored = isDirect ? undefined : await findDesign(db, code.id);
      const print = format === 'pdf' ? readPrint(parseQuery(ctx.querystring)) : undefined;
      if (typeof print === 'string') throw new AppError('validation_error', print);
      await send(ctx, { ...designOf(code), text, design: stored?.design, print }, format);
    });
  }

  routes.get('user', '/preview.svg', async (ctx) => {
    const { code: id, ...given } = readQuery(patchBody, ctx.querystring);
    const errors = designErrors(given);
    if (errors.length > 0) throw invalid(errors);
    const code = typeof id === 'string' ? await findCode(db, userOf(ctx).id, id) : undefined;
    const design = designOf({ ...createDefaults, ...(given as Static<typeof patchBody>) });
    ctx.set('Cache-Control', `private, max-age=${previewSeconds}`);
    const warnings = designWarnings(design, config.baseUrl);
    if (warnings.length > 0) ctx.set('Qrelay-Warning', warnings);
    if (!code) {
      const { length } = shareUrl(config.baseUrl, placeholderToken);
      const sample = { ...design, text: sampleText.padEnd(length, '.') };
      const { body } = await drawFor(ctx, images, sample, 'svg');
      ctx.type = contentTypes.svg;
      ctx.body = markAsSample(Buffer.from(body).toString(), sample);
      return;
    }
    if (isDirectFirst(code)) return send(ctx, { ...design, text: code.content }, 'svg');
    const stored = await findDesign(db, code.id);
    const text = shareUrl(config.baseUrl, code.shareToken);
    await send(ctx, { ...design, text, design: stored?.design }, 'svg');
  });
  return routes;
}

/** Responds with the picture, or with 304 where the client has it. */
export async function sendPicture(
  ctx: Context,
  images: Images,
  picture: Picture,
  format: ImageFormat = 'svg',
): Promise<void> {
  const { body, etag } = await drawFor(ctx, images, picture, format);
  ctx.type = contentTypes[format];
  ctx.set('ETag', etag);
  if (picture.design?.logo) ctx.set('Content-Security-Policy', logoPolicy);
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = body;
}

function drawFor(ctx: Context, images: Images, picture: Picture, format: ImageFormat) {
  return images.draw(callerOf(ctx), picture, format).catch((cause: unknown) => {
    const message = 'The picture cannot be drawn right now. Try again shortly.';
    throw new BusyError(message, { retryAfterSeconds, cause });
  });
}

export function previewPath(design: Design, codeId: string | undefined): string {
  const query = { ...designOf(design), size: String(design.size), ...(codeId && { code: codeId }) };
  return `/codes/preview.svg?${new URLSearchParams(query).toString()}`;
}

export function designWarnings(design: Design, baseUrl: string): string[] {
  return pictureWarnings({ ...design, text: shareUrl(baseUrl, placeholderToken) }).map(withFieldsInWords);
}

function designOf({ errorCorrection, size, foregroundColor, backgroundColor }: Design): Design {
  return { errorCorrection, size, foregroundColor, backgroundColor };
}
