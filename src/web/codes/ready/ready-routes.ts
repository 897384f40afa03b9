import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { defaultPrint, maxPixels, minPixels, readPrint } from '../../../codes/design/design.ts';
import { findDesign } from '../../../codes/design/stored-design.ts';
import { provenSizesMm } from '../../../codes/proof/proof.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { shareUrl } from '../../../codes/share-token.ts';
import type { FieldError } from '../../../errors.ts';
import { attachment } from '../../../http/file-headers.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import { queryText } from '../../ui/form.ts';
import { createPages } from '../../ui/page.ts';
import { flashTexts } from '../code-flash.ts';
import { isDirectFirst } from '../downloads.tsx';
import { codePicture, sendPicture } from '../picture-routes.ts';
import { ReadyView } from './ready-view.tsx';

const formats = ['pdf', 'svg', 'png'] as const;
type Format = (typeof formats)[number];

/** Downloads of a code, in a size that is chosen for each: the last step of a new code. */
export function readyPages(parts: Services): Routes {
  const { db, config, images } = parts;
  const routes = createRoutes('/codes/:id');
  const pages = createPages(parts, { created: flashTexts.created });
  const ownCode = (ctx: Context) => findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));

  async function showReady(ctx: Context, code: QrCode, given: Record<string, string>, errors: FieldError[]) {
    const stored = await findDesign(db, code.id);
    const values = {
      format: 'pdf',
      holds: isDirectFirst(code) ? 'content' : 'link',
      widthMm: String(defaultPrint.widthMm),
      bleedMm: String(defaultPrint.bleedMm),
      size: String(code.size),
      ...given,
    };
    pages.show(
      ctx,
      ReadyView,
      {
        code,
        address: shareUrl(config.baseUrl, code.shareToken),
        form: { values, errors, error: errors.length > 0 ? 'Check the marked field.' : undefined },
        smallestMm: stored?.readsAtMm ?? Math.min(...provenSizesMm),
      },
      { status: errors.length > 0 ? 400 : 200 },
    );
  }

  routes.get('viewer or demo', '/ready', async (ctx) => showReady(ctx, await ownCode(ctx), {}, []));

  routes.get('viewer or demo', '/download', async (ctx) => {
    const code = await ownCode(ctx);
    const names = ['format', 'holds', 'widthMm', 'bleedMm', 'size', 'cropMarks'];
    const given = Object.fromEntries(names.map((name) => [name, queryText(ctx, name).slice(0, 20)]));
    const format = formats.find((each) => each === given['format']) ?? 'pdf';
    const { print, size, errors } = readSizes(format, given, code);
    if (errors.length > 0) return showReady(ctx, code, { ...given, format }, errors);
    const isDirect = given['holds'] === 'content';
    const picture = await codePicture(parts, code, isDirect);
    ctx.set('Cache-Control', 'private, no-cache');
    const ending = isDirect ? `static.${format}` : format;
    ctx.set('Content-Disposition', attachment(code.name, ending, code.shareToken));
    await sendPicture(ctx, images, { ...picture, size, print }, format);
  });
  return routes;
}

/** The size that belongs to the format; the others are not looked at. */
function readSizes(format: Format, given: Record<string, string>, code: QrCode) {
  const { widthMm = '', bleedMm = '', size = '' } = given;
  if (format === 'pdf') {
    const parameters = Object.entries({ widthMm, bleedMm }).flatMap(([name, text]): [string, string[]][] =>
      text.trim() === '' ? [] : [[name, [text.trim().replace(',', '.')]]],
    );
    const marks: [string, string[]][] = given['cropMarks'] === 'on' ? [['cropMarks', ['']]] : [];
    const print = readPrint(new Map([...parameters, ...marks]));
    if (typeof print !== 'string') return { print, size: code.size, errors: [] };
    const [field = '', ...rule] = print.replace(/\.$/, '').split(' ');
    return { size: code.size, errors: [{ field, message: rule.join(' ') }] };
  }
  if (format === 'svg' || size.trim() === '') return { size: code.size, errors: [] };
  const pixels = /^\s*\d{1,6}\s*$/.test(size) ? Number(size) : Number.NaN;
  if (pixels >= minPixels && pixels <= maxPixels) return { size: pixels, errors: [] };
  const message = `must be a whole number from ${minPixels} to ${maxPixels}`;
  return { size: code.size, errors: [{ field: 'size', message }] };
}
