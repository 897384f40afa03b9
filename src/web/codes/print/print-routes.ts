import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { findDesign } from '../../../codes/design/stored-design.ts';
import type { Picture } from '../../../codes/image/draw.ts';
import { countModules, fitsSymbol, sizeFor, tooLongToDraw } from '../../../codes/image/symbol.ts';
import { contentTypes } from '../../../codes/image/image-thread.ts';
import {
  fileFormats,
  heightPerWidth,
  moduleMm,
  pictureOf,
  readingDistanceCm,
  smallestWidthMm,
} from '../../../codes/print/print-codes.ts';
import { labelOptions } from '../../../codes/print/labels.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { AppError, BusyError } from '../../../errors.ts';
import { attachment } from '../../../http/file-headers.ts';
import { parseQuery } from '../../../http/parse-url.ts';
import { refusedByLimit, type RefusedForm, spendForm } from '../../form-quota.ts';
import { callerOf } from '../../middleware/caller.ts';
import { type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { viewerLocale } from '../../ui/viewer-locale.ts';
import { queryText } from '../list/list-search.ts';
import { readLabelForm } from './label-form.ts';
import { paperOf, readPrintSettings } from './print-settings.ts';
import { PrintView } from './print-view.tsx';
import { readSelection, type Selection } from './selection.ts';
import { initialValues, SelectionView } from './selection-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

/** The picture has no fractions of pixels, so that its size on paper is exact. */
const modulePixels = 10;
const retryAfterSeconds = 5;
const notMade = 'The labels were not made. See the fields below.';
const nothingSelected = new Error('No code is selected');

/** The print page of a code, and labels and files of many. */
export function printPages(parts: PageParts): Routes {
  const { db, config, images, prints, now } = parts;
  const routes = createRoutes('/codes');

  routes.get('user', '/selection', async (ctx) => {
    const selection = await readSelection(ctx, parts);
    showSelection(ctx, selection, {}, []);
  });

  routes.get('user', '/labels.pdf', async (ctx) => {
    const values = Object.fromEntries(labelFields.map((name) => [name, queryText(ctx, name)]));
    const { choice, errors } = readLabelForm(values);
    if (errors.length > 0) return showSelection(ctx, await readSelection(ctx, parts), values, errors);
    await sendFile(ctx, values, async (load) => {
      ctx.body = await prints.labels(callerOf(ctx), load, labelOptions(choice));
      ctx.type = 'application/pdf';
      ctx.set('Content-Disposition', attachment('labels', 'pdf', 'labels'));
    });
  });

  routes.get('user', '/files.zip', async (ctx) => {
    const format = fileFormats.find((each) => each === queryText(ctx, 'format')) ?? 'svg';
    await sendFile(ctx, {}, async (load) => {
      ctx.body = await prints.files(callerOf(ctx), load, format);
      ctx.type = 'application/zip';
      ctx.set('Content-Disposition', attachment('qr-codes', 'zip', 'qr-codes'));
    });
  });

  type Pictured = Awaited<ReturnType<typeof prints.picturesOf>>;

  /** The page is shown again with no codes, which may have been deleted meanwhile, and where the limit of the account refuses it. */
  async function sendFile(
    ctx: Context,
    values: Record<string, string>,
    send: (load: () => Promise<Pictured>) => Promise<void>,
  ): Promise<void> {
    let selection: Selection | undefined;
    const load = async () => {
      selection = await readSelection(ctx, parts);
      if (selection.codes.length === 0) throw nothingSelected;
      await spendForm(ctx, parts);
      return prints.picturesOf(selection.codes);
    };
    await send(load).catch((error: unknown) => {
      const refused =
        ctx.accepts('html', 'json') === 'html' ? refusedByLimit(error, 'Nothing was made. ') : undefined;
      if (!selection || (error !== nothingSelected && !refused)) throw error;
      showSelection(ctx, selection, values, [], refused);
    });
  }

  routes.get('user', '/:id/print', async (ctx) => {
    const code = await findCode(db, userOf(ctx).id, String(ctx['params'].id));
    const query = parseQuery(ctx.querystring);
    const pictureFor = await printedPictures(code);
    const shapeOf = (isDirect: boolean) => {
      const picture = pictureFor(isDirect);
      const { frame = 'none', frameText } = picture.design ?? {};
      return {
        heightPerWidth: heightPerWidth(picture),
        hasFrameText: frame !== 'none' && Boolean(frameText),
      };
    };
    const { settings, values, errors } = readPrintSettings(query, code, viewerLocale(ctx), shapeOf);
    const picture = pictureFor(settings.isDirect);
    const isTooLong = !fitsSymbol(picture.text, picture.errorCorrection);
    const provenMm = picture.design ? ((await findDesign(db, code.id))?.readsAtMm ?? 0) : 0;
    show(
      ctx,
      PrintView,
      {
        visitor: visitorOf(ctx, parts),
        code,
        settings,
        form: { values, errors },
        distanceCm: isTooLong ? 0 : readingDistanceCm(moduleMm(picture, settings.widthMm)),
        smallestMm: isTooLong ? 0 : Math.max(smallestWidthMm(picture), provenMm),
        problem: isTooLong ? tooLongToDraw : problemOf(code, settings.isDirect),
      },
      errors.length > 0 ? 400 : 200,
    );
  });

  routes.get('user', '/:id/print.svg', async (ctx) => {
    const code = await findCode(db, userOf(ctx).id, String(ctx['params'].id));
    const picture = (await printedPictures(code))(ctx.query['encode'] === 'content');
    if (!fitsSymbol(picture.text, picture.errorCorrection)) throw new AppError('not_found', tooLongToDraw);
    const size = sizeFor(countModules(picture.text, picture.errorCorrection), modulePixels);
    const { body, etag } = await images
      .draw(callerOf(ctx), { ...picture, size }, 'svg')
      .catch((cause: unknown) => {
        const message = 'The picture cannot be drawn right now. Try again shortly.';
        throw new BusyError(message, { retryAfterSeconds, cause });
      });
    ctx.type = contentTypes.svg;
    ctx.set({ 'Cache-Control': 'private, no-cache', ETag: etag });
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = body;
  });

  async function printedPictures(code: QrCode): Promise<(isDirect: boolean) => Picture> {
    const [printed] = await prints.picturesOf([code]);
    const shared = printed?.picture ?? pictureOf(code, config.baseUrl);
    // A design is proven with the share link only.
    return (isDirect) => (isDirect ? { ...shared, text: code.content, design: undefined } : shared);
  }

  function problemOf({ isPublic, expiresAt }: QrCode, isDirect: boolean): string | undefined {
    if (isDirect) return undefined;
    if (expiresAt <= now())
      return 'This code has expired: nobody who scans it sees its content. Renew it first.';
    return isPublic ? undefined : 'This code is private: nobody who scans it sees its content.';
  }

  function showSelection(
    ctx: Context,
    selection: Selection,
    given: Record<string, string>,
    errors: { field: string; message: string }[],
    refused?: RefusedForm,
  ): void {
    const values = { ...initialValues(paperOf(viewerLocale(ctx))), ...given };
    const visitor = visitorOf(ctx, parts);
    const problem = errors.length > 0 ? notMade : refused?.problem;
    const status = errors.length > 0 ? 400 : (refused?.status ?? 200);
    show(ctx, SelectionView, { visitor, selection, form: { values, errors }, problem }, status);
  }
  return routes;
}

const labelFields = [
  'sheet',
  'start',
  'name',
  'paper',
  'columns',
  'rows',
  'marginXMm',
  'marginYMm',
  'gapXMm',
  'gapYMm',
];
