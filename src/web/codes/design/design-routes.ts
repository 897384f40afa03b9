import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { findCode } from '../../../codes/codes.ts';
import { defaultDesign } from '../../../codes/design/design.ts';
import { deleteDesign, findDesign, saveDesign } from '../../../codes/design/stored-design.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import type { ImageDecoder } from '../../../codes/files/image-decoder.ts';
import type { NewLogo } from '../../../codes/design/stored-logo.ts';
import { pictureOf, proveDesign } from '../../../codes/proof/prove-design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import {
  type Style,
  changeStyle,
  findStyle,
  findStyles,
  insertStyle,
  proveStyle,
} from '../../../codes/styles/styles.ts';
import { parseQuery } from '../../../http/parse-url.ts';
import type { Caller } from '../../../runtime/fair-scheduler.ts';
import { presentDesign } from '../../api/designs.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { policyWithBlobs } from '../../middleware/headers.ts';
import type { Services } from '../../services.ts';
import { createPages, redirectWithFlash } from '../../ui/page.ts';
import { userOf } from '../../middleware/session.ts';
import { type StylesFlash, maxStyleNameLength } from '../styles/styles-view.tsx';
import { type Routes, createRoutes } from '../../routes.ts';
import { type Refusal, labelErrors, requireValid, spendForm } from '../../ui/form.ts';
import { sendPicture } from '../picture-routes.ts';
import {
  type DesignSubject,
  type DesignValues,
  chosenPreset,
  createDesignForm,
  designFieldNames,
  designRefusal,
  designerPictures,
  subjectOfCode,
  subjectOfStyle,
  valuesOfDesign,
} from './design-form.ts';
import { DesignView, StyleDesignView } from './design-view.tsx';

const flashTexts = {
  designed: 'Design saved.',
  raised: 'Design saved. The error correction of the code was raised, because the logo covers modules.',
  plain: 'The design was removed.',
};

/** The designers: owners choose how a code looks, and what a style looks like. */
export function designPages(parts: Services): Routes {
  const { db, config, proofs, now, codeChanged } = parts;
  const routes = createRoutes();
  const pages = createPages(parts, flashTexts);
  const form = createDesignForm(parts);
  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));
  const ownStyle = (ctx: Context) => findStyle(db, userOf(ctx).id, String(ctx['params'].id));
  addPreviews(parts, routes);

  /** Shows the designer again where a design cannot be saved, with the choices. */
  async function submitDesign(
    ctx: Context,
    values: DesignValues,
    work: () => Promise<void>,
    showAgain: (values: DesignValues, refusal: Refusal) => Promise<void> | void,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      await showAgain(values, designRefusal(error, fileField(ctx, 'logo') !== undefined));
    }
  }

  async function showDesigner(ctx: Context, code: QrCode, given: DesignValues, refusal?: Refusal) {
    const stored = await findDesign(db, code.id);
    const styles = await findStyles(db, code.userId);
    const used = styles.find(({ id }) => id === given['styleId']);
    // Without a style that was deleted meanwhile: the logo is that of the code then.
    const values = { ...given, styleId: used?.id ?? '' };
    const { errors = [], error } = refusal ?? {};
    ctx.set('Content-Security-Policy', policyWithBlobs);
    pages.show(
      ctx,
      DesignView,
      {
        code,
        form: { values, errors, error },
        proof: presentDesign(code, stored, config.baseUrl).proof,
        hasDesign: stored !== undefined,
        hasLogo: ((used ?? stored)?.design.logo ?? null) !== null,
        styles,
        ...designerPictures(subjectOfCode(db, code), values),
      },
      refusal,
    );
  }

  routes.get('user', '/codes/:id/design', async (ctx) => {
    const code = await ownCode(ctx);
    const chosen = chosenPreset(ctx.query['preset']);
    const style = typeof ctx.query['styleId'] === 'string' ? ctx.query['styleId'] : undefined;
    const used = style === undefined ? undefined : await findStyle(db, code.userId, style);
    const design = used?.design ?? chosen?.design ?? (await findDesign(db, code.id))?.design ?? defaultDesign;
    await showDesigner(ctx, code, { ...valuesOfDesign(design, code), styleId: used?.id ?? '' });
  });

  routes.post('user', '/codes/:id/design', async (ctx) => {
    const code = await ownCode(ctx);
    const values = form.values(ctx);
    const save = async () => {
      await spendForm(ctx, parts);
      const { design, newLogo } = await form.read(ctx, subjectOfCode(db, code), values);
      const proven = await proveDesign(proofs, callerOf(ctx), code, design, config.baseUrl, { newLogo });
      await saveDesign(db, code.id, { ...proven, sharesLogo: values['styleId'] !== '' }, now());
      codeChanged(code.shareToken);
      const isRaised = proven.errorCorrection !== code.errorCorrection;
      pages.redirectWithFlash(ctx, `/codes/${code.id}/design`, isRaised ? 'raised' : 'designed');
    };
    await submitDesign(ctx, values, save, (...again) => showDesigner(ctx, code, ...again));
  });

  routes.post('user', '/codes/:id/design/style', async (ctx) => {
    const code = await ownCode(ctx);
    const name = normalizeLabel(field(ctx, 'styleName'));
    const values = form.values(ctx);
    const save = async () => {
      requireValid(labelErrors('styleName', name, maxStyleNameLength, 'Enter a name'));
      await spendForm(ctx, parts);
      const { design, newLogo } = await form.read(ctx, subjectOfCode(db, code), values);
      await proveStyle(proofs, callerOf(ctx), design, config.baseUrl, newLogo);
      await insertStyle(db, code.userId, { name, design, isDefault: false, newLogo }, now());
      redirectWithFlash(ctx, parts, '/codes/styles', 'created' satisfies StylesFlash);
    };
    await submitDesign(ctx, { ...values, styleName: name }, save, (...again) =>
      showDesigner(ctx, code, ...again),
    );
  });

  routes.post('user', '/codes/:id/design/delete', async (ctx) => {
    const code = await ownCode(ctx);
    await deleteDesign(db, code.id, now());
    codeChanged(code.shareToken);
    pages.redirectWithFlash(ctx, `/codes/${code.id}/design`, 'plain');
  });

  function showStyleDesigner(ctx: Context, style: Style, values: DesignValues, refusal?: Refusal): void {
    const { errors = [], error } = refusal ?? {};
    const pictures = designerPictures(subjectOfStyle(style), values);
    ctx.set('Content-Security-Policy', policyWithBlobs);
    pages.show(ctx, StyleDesignView, { style, form: { values, errors, error }, ...pictures }, refusal);
  }

  routes.get('user', '/codes/styles/:id/design', async (ctx) => {
    const style = await ownStyle(ctx);
    const design = chosenPreset(ctx.query['preset'])?.design ?? style.design;
    showStyleDesigner(ctx, style, valuesOfDesign(design, subjectOfStyle(style).look));
  });

  routes.post('user', '/codes/styles/:id/design', async (ctx) => {
    const style = await ownStyle(ctx);
    const values = form.values(ctx);
    const save = async () => {
      await spendForm(ctx, parts);
      const { design: to, newLogo } = await form.read(ctx, subjectOfStyle(style), values);
      await proveStyle(proofs, callerOf(ctx), to, config.baseUrl, newLogo);
      const design = { from: style.design, to, ...(newLogo && { newLogo }) };
      await changeStyle(db, style.userId, style.id, { design }, now());
      redirectWithFlash(ctx, parts, `/codes/styles/${style.id}`, 'designed' satisfies StylesFlash);
    };
    await submitDesign(ctx, values, save, (...again) => showStyleDesigner(ctx, style, ...again));
  });
  return routes;
}

/** Pictures of designs that are not saved. */
function addPreviews(parts: Services, routes: Routes): void {
  const { db, config, images, imageDecoder } = parts;
  const form = createDesignForm(parts, createLogoPreviews(imageDecoder));

  async function sendPreview(ctx: Context, subject: DesignSubject, values: DesignValues): Promise<void> {
    const { design, newLogo } = await form.read(ctx, subject, values);
    ctx.set('Cache-Control', 'private, no-cache');
    const picture = { ...pictureOf(subject.look, design, config.baseUrl), logo: newLogo?.png };
    await sendPicture(ctx, images, picture);
  }

  function add(designer: string, find: (ownerId: string, id: string) => Promise<DesignSubject>) {
    const subjectOf = (ctx: Context) => find(userOf(ctx).id, String(ctx['params'].id));

    routes.get('user', `${designer}/preview.svg`, async (ctx) => {
      const subject = await subjectOf(ctx);
      const given = parseQuery(ctx.querystring);
      // Omitted fields get their default, as in the API.
      const values = valuesOfDesign(defaultDesign, subject.look);
      for (const name of designFieldNames) values[name] = given.get(name)?.[0] ?? values[name] ?? '';
      await sendPreview(ctx, subject, values);
    });

    /** With a logo that is not saved yet: design.browser.js sends the whole form. */
    routes.post('user', `${designer}/preview`, async (ctx) =>
      sendPreview(ctx, await subjectOf(ctx), form.values(ctx)),
    );
  }

  add('/codes/:id/design', async (ownerId, id) => subjectOfCode(db, await findCode(db, ownerId, id)));
  add('/codes/styles/:id/design', async (ownerId, id) => subjectOfStyle(await findStyle(db, ownerId, id)));
}

const cacheBytes = 4 * 1024 * 1024;

/** Logos that owners look at before they save them. A file is decoded once, not for each change of the design. */
function createLogoPreviews(decoder: ImageDecoder) {
  const cache = new LRUCache<string, NewLogo>({
    maxSize: cacheBytes,
    sizeCalculation: ({ png }) => png.length,
  });
  /** Throws a validation error with the reason for a file that is no logo. */
  return async (caller: Caller, ownerId: string, file: Buffer): Promise<NewLogo> => {
    const key = createHash('sha256').update(`${ownerId}\n`).update(file).digest('base64url');
    const known = cache.get(key);
    if (known) return known;
    const logo = await readLogo(decoder, caller, ownerId, file);
    cache.set(key, logo);
    return logo;
  };
}
