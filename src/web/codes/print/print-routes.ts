import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { findDesign } from '../../../codes/design/stored-design.ts';
import type { Picture } from '../../../codes/image/draw.ts';
import { countModules, fitsSymbol, sizeFor, tooLongToDraw } from '../../../codes/image/symbol.ts';
import {
  fileFormats,
  heightPerWidth,
  moduleMm,
  pictureOf,
  readingDistanceCm,
  smallestWidthMm,
} from '../../../codes/print/print-codes.ts';
import {
  type LabelChoice,
  type LabelGrid,
  defaultGrid,
  gridLimits,
  labelErrors,
  labelOptions,
  namePositions,
  paperNames,
  sheetNames,
} from '../../../codes/print/labels.ts';
import { type Refusal, queryText, refusedByLimit, spendForm } from '../../ui/form.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { AppError } from '../../../errors.ts';
import { attachment } from '../../../http/file-headers.ts';
import { parseQuery } from '../../../http/parse-url.ts';
import { sendPicture } from '../picture-routes.ts';
import { paperOf, readPrintSettings } from './print-settings.ts';
import { PrintView } from './print-view.tsx';
import { SelectionView, initialValues } from './selection-view.tsx';
import { type Selection, readSelection } from './selection.ts';
import { field } from '../../middleware/forms.ts';
import { downloaderOf } from '../../middleware/caller.ts';
import { printedTitle } from '../../../codes/public-title.ts';
import { withPublicTitles } from '../../prints.ts';
import type { Services } from '../../services.ts';
import { createPages } from '../../ui/page.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { viewerLocale } from '../../ui/visitor.ts';
import { type PageAccess, type Routes, createRoutes } from '../../routes.ts';
import type { FormError } from '../../ui/controls.tsx';

/** The picture has no fractions of pixels, so that its size on paper is exact. */
const modulePixels = 10;
const notMade = 'The labels were not made. See the fields below.';
const nothingSelected = new Error('No code is selected');

/** The print page of a code, and labels and files of many. */
export function printPages(parts: Services): Routes {
  const { db, config, images, prints, now } = parts;
  const routes = createRoutes('/codes');
  const pages = createPages(parts);

  /** A selection that is too long for an address is posted; nothing else changes. */
  function add(
    path: string,
    handle: (ctx: Context) => Promise<void>,
    reader: PageAccess = 'viewer or demo',
  ): void {
    routes.get(reader, path, handle);
    routes.post('viewer', path, handle);
  }
  const given = (ctx: Context, name: string) =>
    ctx.method === 'POST' ? field(ctx, name) : queryText(ctx, name);

  add('/selection', async (ctx) => {
    const selection = await readSelection(ctx, parts);
    await showSelection(ctx, selection, {});
  });

  add('/labels.pdf', async (ctx) => {
    const values = Object.fromEntries(labelFields.map((name) => [name, given(ctx, name)]));
    const { choice, errors } = readLabelForm(values);
    if (errors.length > 0)
      return showSelection(ctx, await readSelection(ctx, parts), values, {
        errors,
        error: notMade,
        status: 400,
      });
    const printsNames = values['text'] === 'name';
    await sendFile(ctx, values, async (load) => {
      const loadTitled = async () => (printsNames ? load() : withPublicTitles(await load()));
      ctx.body = await prints.labels(downloaderOf(ctx), loadTitled, labelOptions(choice));
      ctx.type = 'application/pdf';
      ctx.set('Content-Disposition', attachment('labels', 'pdf', 'labels'));
    });
  });

  add(
    '/files.zip',
    async (ctx) => {
      const format = fileFormats.find((each) => each === given(ctx, 'format')) ?? 'svg';
      await sendFile(ctx, {}, async (load) => {
        ctx.body = await prints.files(downloaderOf(ctx), load, format);
        ctx.type = 'application/zip';
        ctx.set('Content-Disposition', attachment('qr-codes', 'zip', 'qr-codes'));
      });
    },
    'viewer',
  );

  type Pictured = Awaited<ReturnType<typeof prints.picturesOf>>;

  /** Shows the page again if no code is left (all were deleted meanwhile), or if the limit of the account refuses it. */
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
    await send(load).catch(async (error: unknown) => {
      const refused =
        ctx.accepts('html', 'json') === 'html' ? refusedByLimit(error, 'Nothing was made.') : undefined;
      if (!selection || (error !== nothingSelected && !refused)) throw error;
      await showSelection(ctx, selection, values, refused);
    });
  }

  routes.get('viewer or demo', '/:id/print', async (ctx) => {
    const code = await findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));
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
    pages.show(
      ctx,
      PrintView,
      {
        code,
        settings,
        form: { values, errors },
        distanceCm: isTooLong ? 0 : readingDistanceCm(moduleMm(picture, settings.widthMm)),
        smallestMm: isTooLong ? 0 : Math.max(smallestWidthMm(picture), provenMm),
        warning: isTooLong ? tooLongToDraw : warningOf(code, settings.isDirect),
      },
      { status: errors.length > 0 ? 400 : 200 },
    );
  });

  routes.get('viewer or demo', '/:id/print.svg', async (ctx) => {
    const code = await findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));
    const picture = (await printedPictures(code))(ctx.query['encode'] === 'content');
    if (!fitsSymbol(picture.text, picture.errorCorrection)) throw new AppError('not_found', tooLongToDraw);
    const size = sizeFor(countModules(picture.text, picture.errorCorrection), modulePixels);
    ctx.set('Cache-Control', 'private, no-cache');
    await sendPicture(ctx, images, { ...picture, size });
  });

  async function printedPictures(code: QrCode): Promise<(isDirect: boolean) => Picture> {
    const [printed] = await prints.picturesOf([code]);
    const shared = printed?.picture ?? pictureOf(code, config.baseUrl);
    // A design is proven with the share link only.
    return (isDirect) => (isDirect ? { ...shared, text: code.content, design: undefined } : shared);
  }

  function warningOf({ isPublic, expiresAt }: QrCode, isDirect: boolean): string | undefined {
    if (isDirect) return undefined;
    if (expiresAt <= now())
      return 'This code has expired: nobody who scans it sees its content. Renew it first.';
    return isPublic ? undefined : 'This code is private: nobody who scans it sees its content.';
  }

  async function showSelection(
    ctx: Context,
    selection: Selection,
    filledIn: Record<string, string>,
    refusal: Partial<Refusal> = {},
  ): Promise<void> {
    const values = { ...initialValues(paperOf(viewerLocale(ctx))), ...filledIn };
    const { errors = [], error, status = 200 } = refusal;
    const unprintable = await findBoxes(selection.codes);
    pages.show(ctx, SelectionView, { selection, unprintable, form: { values, errors, error } }, { status });
  }
  return routes;
}

/** The characters of names and titles that labels have boxes for. Fonts are loaded only for names that may have some. */
async function findBoxes(codes: QrCode[]): Promise<string[]> {
  const texts = codes.flatMap((code) => [code.name, printedTitle(code).title]);
  const unusual = texts.filter((text) => /[\u0250-\u{10ffff}]/u.test(text));
  if (unusual.length === 0) return [];
  const { findUnprintable } = await import('../../../codes/text/font-family.ts');
  return findUnprintable(unusual);
}

const labelFields = [
  'sheet',
  'text',
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

type NumberField = keyof typeof gridLimits;

/** The fields of the form for labels. Those of a grid count only with the sheet `grid`. */
function readLabelForm(values: Record<string, string>): { choice: LabelChoice; errors: FormError[] } {
  const errors: FormError[] = [];
  const number = (name: string, min: number, max: number, isWhole: boolean): number => {
    const text = (values[name] ?? '').trim();
    const pattern = isWhole ? /^\d{1,4}$/ : /^\d{1,3}(?:[.,]\d{1,3})?$/;
    const value = pattern.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
    if (value >= min && value <= max) return value;
    errors.push({ field: name, message: `must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}` });
    return min;
  };
  const sheet = sheetNames.find((name) => name === values['sheet']);
  if (!sheet) errors.push({ field: 'sheet', message: 'Choose one from the list' });
  const grid = sheet === 'grid' ? readGrid() : undefined;
  const start = number('start', 1, 9_999, true);
  const name = namePositions.find((each) => each === values['name']);
  const choice: LabelChoice = { sheet: sheet ?? 'L7160', grid, start, name };
  // The grid is not a field of the form: its rows are, and the fewer, the larger the labels.
  const more = labelErrors(choice).map((error) =>
    error.field === 'grid' ? { field: 'rows', message: `and columns ${error.message}` } : error,
  );
  return { choice, errors: errors.length > 0 ? errors : more };

  function readGrid(): LabelGrid {
    const paper = paperNames.find((each) => each === values['paper']) ?? defaultGrid.paper;
    const limited = (side: NumberField) => {
      const { min, max } = gridLimits[side];
      return number(side, min, max, side === 'columns' || side === 'rows');
    };
    return {
      paper,
      columns: limited('columns'),
      rows: limited('rows'),
      marginXMm: limited('marginXMm'),
      marginYMm: limited('marginYMm'),
      gapXMm: limited('gapXMm'),
      gapYMm: limited('gapYMm'),
    };
  }
}
