import Router from '@koa/router';
import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { type Design, defaultDesign, normalizeDesign } from '../../../codes/design/design.ts';
import { presets } from '../../../codes/design/presets.ts';
import { deleteDesign, findDesign, saveDesign } from '../../../codes/design/stored-design.ts';
import { contentTypes } from '../../../codes/image/image-thread.ts';
import type { NewLogo } from '../../../codes/logo/stored-logo.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { proveStyle } from '../../../codes/styles/prove-style.ts';
import { findStyle, findStyles, insertStyle } from '../../../codes/styles/styles.ts';
import { AppError, BusyError, type FieldError, invalid } from '../../../errors.ts';
import { parseQuery } from '../../../http/query-string.ts';
import { designBody } from '../../api/design-shapes.ts';
import { presentDesign } from '../../api/designs.ts';
import { pictureOf, proveDesign } from '../../../codes/proof/prove-design.ts';
import { compileValidator } from '../../api/validation.ts';
import { readLogo } from '../../api/read-logo.ts';
import { field } from '../../middleware/forms.ts';
import { policyWithBlobs } from '../../middleware/security-headers.ts';
import { fileField } from '../../middleware/multipart.ts';
import { readFlash, redirectWithFlash } from '../../ui/flash.ts';
import { needUser, type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { styleNameErrors } from '../styles/style-name.ts';
import type { StylesFlash } from '../styles/style-texts.ts';
import { createLogoPreviews } from './logo-previews.ts';
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
  const { db, config, images, proofs, logoDecoder, now, codeChanged } = parts;
  const router = new Router({ prefix: '/codes/:id/design' });
  router.use(needUser);

  const logoPreviews = createLogoPreviews(logoDecoder);
  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));

  /** The one of the style that the form was filled with, or else of the code, unless the form removes it. */
  async function storedLogo(code: QrCode, values: DesignValues): Promise<string | null> {
    if (values['removeLogo'] === 'on') return null;
    if (values['style']) return (await findStyle(db, code.userId, values['style'])).design.logo;
    return (await findDesign(db, code.id))?.design.logo ?? null;
  }

  const readValues = (ctx: Context): DesignValues =>
    Object.fromEntries(designFieldNames.map((name) => [name, field(ctx, name)]));

  /** The design of the posted form, with the logo that it brings, or the stored one. */
  async function readForm(ctx: Context, code: QrCode, values: DesignValues) {
    const given = readDesign(values);
    const file = fileField(ctx, 'logo');
    const newLogo = file && (await readLogo(logoDecoder, code.userId, file));
    return { design: { ...given, logo: newLogo?.id ?? (await storedLogo(code, values)) }, newLogo };
  }

  async function sendPicture(ctx: Context, code: QrCode, design: Design, newLogo?: NewLogo): Promise<void> {
    const picture = { ...pictureOf(code, design, config.baseUrl), logo: newLogo?.png };
    const { body, etag } = await images.draw(picture, 'svg').catch((cause: unknown) => {
      const message = 'The picture cannot be drawn right now. Try again shortly.';
      throw new BusyError(message, { retryAfterSeconds: 5, cause });
    });
    ctx.set({ 'Cache-Control': 'private, no-cache', ETag: etag });
    ctx.type = contentTypes.svg;
    ctx.body = body;
  }

  async function showDesigner(ctx: Context, code: QrCode, { values, errors = [], problem, status }: Shown) {
    const flash = readFlash(ctx, parts, flashTexts);
    const stored = await findDesign(db, code.id);
    const styles = await findStyles(db, code.userId);
    const used = styles.find(({ id }) => id === values['style']);
    ctx.set('Content-Security-Policy', policyWithBlobs);
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
        hasLogo: ((used ?? stored)?.design.logo ?? null) !== null,
        styles,
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
    const style = typeof ctx.query['style'] === 'string' ? ctx.query['style'] : undefined;
    const used = style === undefined ? undefined : await findStyle(db, code.userId, style);
    const design =
      used?.design ?? chosen?.design ?? (await findDesign(db, code.id))?.design ?? defaultDesign;
    const values = { ...valuesOfDesign(design, code), style: used?.id ?? '' };
    await showDesigner(ctx, code, { values });
  });

  router.post('/', async (ctx) => {
    const code = await ownCode(ctx);
    const values = readValues(ctx);
    let flash: keyof typeof flashTexts;
    try {
      const { design, newLogo } = await readForm(ctx, code, values);
      const proven = await proveDesign(proofs, code, design, config.baseUrl, { newLogo });
      await saveDesign(db, code.id, { ...proven, sharesLogo: values['style'] !== '' }, now());
      flash = proven.errorCorrection === code.errorCorrection ? 'designed' : 'raised';
    } catch (error) {
      return showRefusal(ctx, code, values, error);
    }
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}/design`, flash);
  });

  async function showRefusal(ctx: Context, code: QrCode, values: DesignValues, error: unknown) {
    const refusal = refusalOf(error);
    // Browsers do not keep it.
    const problem = fileField(ctx, 'logo') ? `${refusal.problem} Choose the logo again.` : refusal.problem;
    await showDesigner(ctx, code, { values, ...refusal, problem });
  }

  router.post('/style', async (ctx) => {
    const code = await ownCode(ctx);
    const values = readValues(ctx);
    const name = field(ctx, 'styleName').normalize('NFC').trim();
    try {
      const errors = styleNameErrors(name, 'styleName');
      if (errors.length > 0) throw invalid(errors);
      const { design, newLogo } = await readForm(ctx, code, values);
      await proveStyle(proofs, design, config.baseUrl, newLogo);
      await insertStyle(db, code.userId, { name, design, isDefault: false, newLogo }, now());
    } catch (error) {
      return showRefusal(ctx, code, { ...values, styleName: name }, error);
    }
    redirectWithFlash(ctx, parts, '/codes/styles', 'created' satisfies StylesFlash);
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
    await sendPicture(ctx, code, { ...readDesign(values), logo: await storedLogo(code, values) });
  });

  /** With a logo that is not saved yet: design.browser.js sends the whole form. */
  router.post('/preview', async (ctx) => {
    const code = await ownCode(ctx);
    const values = readValues(ctx);
    const given = readDesign(values);
    const file = fileField(ctx, 'logo');
    const newLogo = file && (await logoPreviews.read(code.userId, file));
    const logo = newLogo?.id ?? (await storedLogo(code, values));
    await sendPicture(ctx, code, { ...given, logo }, newLogo);
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
  if (!(error instanceof AppError) || error.code !== 'validation_error') throw error;
  if (!error.details) return { problem: `Not saved. ${error.message}`, status: error.status };
  // The only field that is called `name` in the rules.
  const errors = error.details.map((each) => (each.field === 'name' ? { ...each, field: 'styleName' } : each));
  const shown = new Set([...designFieldNames, 'logo', 'styleName']);
  const others = errors.filter(({ field: name }) => !shown.has(name));
  return {
    errors,
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
