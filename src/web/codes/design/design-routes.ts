import Router from '@koa/router';
import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { type Design, defaultDesign, normalizeDesign } from '../../../codes/design/design.ts';
import { presets } from '../../../codes/design/presets.ts';
import { deleteDesign, findDesign, saveDesign } from '../../../codes/design/stored-design.ts';
import { contentTypes } from '../../../codes/image/image-thread.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { AppError, BusyError, type FieldError, invalid } from '../../../errors.ts';
import { parseQuery } from '../../../http/query-string.ts';
import { designBody } from '../../api/design-shapes.ts';
import { presentDesign } from '../../api/designs.ts';
import { pictureOf, proveDesign } from '../../api/prove-design.ts';
import { compileValidator } from '../../api/validation.ts';
import { readLogo } from '../../api/read-logo.ts';
import { field } from '../../middleware/forms.ts';
import { fileField } from '../../middleware/multipart.ts';
import { readFlash, redirectWithFlash } from '../../ui/flash.ts';
import { needUser, type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { DesignView } from './design-view.tsx';
import {
  designBodyOf,
  designFieldNames,
  type DesignValues,
  previewQuery,
  valuesOfDesign,
} from './design-values.ts';

const bodyErrors = compileValidator(designBody);
const flashTexts = {
  designed: 'Design saved.',
  raised: 'Design saved. The error correction of the code was raised, because the logo covers modules.',
  plain: 'The design was removed.',
};

interface Shown {
  values: DesignValues;
  errors?: FieldError[];
  problem?: string | undefined;
  status?: number;
}

/** The page on which the owner of a code chooses how it looks. */
export function codeDesignPages(parts: PageParts): Router {
  const { db, config, images, proofs, imageDecoder, now, codeChanged } = parts;
  const router = new Router({ prefix: '/codes/:id/design' });
  router.use(needUser);

  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));

  /** The one that the code has, unless the form removes it. */
  async function storedLogo(code: QrCode, values: DesignValues): Promise<string | null> {
    return values['removeLogo'] === 'on' ? null : ((await findDesign(db, code.id))?.design.logo ?? null);
  }

  async function showDesigner(ctx: Context, code: QrCode, { values, errors = [], problem, status }: Shown) {
    const flash = readFlash(ctx, parts, flashTexts);
    const stored = await findDesign(db, code.id);
    const address = (shown: DesignValues) => `/codes/${code.id}/design/preview.svg?${previewQuery(shown)}`;
    show(
      ctx,
      DesignView,
      {
        visitor: visitorOf(ctx, parts),
        code,
        form: { values, errors },
        problem,
        flash: flash && flashTexts[flash],
        proof: presentDesign(code, stored, config.baseUrl).proof,
        hasDesign: stored !== undefined,
        hasLogo: stored !== undefined && stored.design.logo !== null,
        preview: address(values),
        presets: Object.entries(presets).map(([key, { name, design }]) => ({
          key,
          name,
          picture: address(valuesOfDesign(design, code)),
        })),
      },
      status ?? 200,
    );
  }

  router.get('/', async (ctx) => {
    const code = await ownCode(ctx);
    const { preset } = ctx.query;
    const chosen = typeof preset === 'string' && Object.hasOwn(presets, preset) ? presets[preset] : undefined;
    const design = chosen?.design ?? (await findDesign(db, code.id))?.design ?? defaultDesign;
    await showDesigner(ctx, code, { values: valuesOfDesign(design, code) });
  });

  router.post('/', async (ctx) => {
    const code = await ownCode(ctx);
    const values = Object.fromEntries(designFieldNames.map((name) => [name, field(ctx, name)]));
    const file = fileField(ctx, 'logo')?.bytes;
    let flash: keyof typeof flashTexts;
    try {
      const given = readDesign(values);
      const newLogo = file && (await readLogo(imageDecoder, code.userId, file));
      const logo = newLogo?.id ?? (await storedLogo(code, values));
      const proven = await proveDesign(proofs, code, { ...given, logo }, config.baseUrl, { newLogo });
      await saveDesign(db, code.id, proven, now());
      flash = proven.errorCorrection === code.errorCorrection ? 'designed' : 'raised';
    } catch (error) {
      const refusal = refusalOf(error);
      // Browsers do not keep it.
      const problem = file ? `${refusal.problem} Choose the logo again.` : refusal.problem;
      return showDesigner(ctx, code, { values, ...refusal, problem });
    }
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}/design`, flash);
  });

  router.post('/delete', async (ctx) => {
    const code = await ownCode(ctx);
    await deleteDesign(db, code.id, now());
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}/design`, 'plain' satisfies keyof typeof flashTexts);
  });

  router.get('/preview.svg', async (ctx) => {
    const code = await ownCode(ctx);
    const given = parseQuery(ctx.querystring);
    // Omitted fields get their default, as in the API.
    const values = valuesOfDesign(defaultDesign, code);
    for (const name of designFieldNames) values[name] = given.get(name)?.[0] ?? values[name] ?? '';
    const logo = await storedLogo(code, values);
    const picture = pictureOf(code, { ...readDesign(values), logo }, config.baseUrl);
    const { body, etag } = await images.draw(picture, 'svg').catch((cause: unknown) => {
      const message = 'The picture cannot be drawn right now. Try again shortly.';
      throw new BusyError(message, { retryAfterSeconds: 5, cause });
    });
    ctx.set({ 'Cache-Control': 'private, no-cache', ETag: etag });
    ctx.type = contentTypes.svg;
    ctx.body = body;
  });
  return router;
}

function readDesign(values: DesignValues): Design {
  const body = designBodyOf(values);
  const errors = bodyErrors(body);
  if (errors.length > 0) throw invalid(errors);
  return normalizeDesign(body);
}

/** What the form says about a design that was not saved. */
function refusalOf(error: unknown): Omit<Shown, 'values'> {
  if (error instanceof BusyError) return { problem: error.message, status: error.status };
  if (!(error instanceof AppError) || !error.details) throw error;
  const shown = new Set([...designFieldNames, 'logo']);
  const others = error.details.filter(({ field: name }) => !shown.has(name));
  return {
    errors: error.details,
    problem: [
      'Not saved.',
      ...others.map(sentenceOf),
      ...(others.length === 0 ? ['Check the marked fields.'] : []),
    ].join(' '),
    status: 400,
  };
}

/** Of a field that is on the page of the code. */
function sentenceOf({ field: name, message }: FieldError): string {
  const words = {
    foregroundColor: 'The foreground color',
    backgroundColor: 'The background color',
    errorCorrection: 'The error correction',
  };
  const subject = Object.hasOwn(words, name) ? words[name as keyof typeof words] : 'The design';
  return `${subject} ${message}.`;
}
