import type { Context } from 'koa';
import { findBrand } from '../../../codes/brand.ts';
import { findCode } from '../../../codes/codes.ts';
import { defaultDesign } from '../../../codes/design/design.ts';
import { findRemovedDesign, purgeRemovedDesign, removeDesign } from '../../../codes/design/removed-design.ts';
import { findDesign, saveDesign } from '../../../codes/design/stored-design.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import { undoDays } from '../../../codes/undo-period.ts';
import { proveDesign } from '../../../codes/proof/prove-design.ts';
import { changedCodeRules } from '../../../codes/code-rules.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { findStyles, insertStyle, proveStyle } from '../../../codes/styles/styles.ts';
import { presentDesign } from '../../api/designs.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field } from '../../middleware/forms.ts';
import { policyWithBlobs } from '../../middleware/headers.ts';
import type { Services } from '../../services.ts';
import { createPages, redirect, redirectWithFlash } from '../../ui/page.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type StylesFlash, maxStyleNameLength } from '../styles/styles-view.tsx';
import { type Routes, createRoutes } from '../../routes.ts';
import { type Refusal, labelErrors, requireValid, spendForm } from '../../ui/form.ts';
import {
  type DesignValues,
  brandStart,
  createDesignForm,
  submitDesign,
  valuesOfDesign,
} from './design-form.ts';
import { chosenPreset, startValues, subjectOfCode } from './design-subject.ts';
import { designerPictures } from './designer-pictures.ts';
import { DesignView, RemoveDesignView } from './design-view.tsx';

const flashTexts = {
  designed: 'Design saved.',
  raised: 'Design saved. The error correction of the code was raised, because the logo covers modules.',
  plain: `The design was removed. You can undo this for ${undoDays} days.`,
  restored: 'The design is back.',
};

/** The designer of a code, on which its owner chooses how it looks. */
export function designPages(parts: Services): Routes {
  const { db, config, proofs, now, codeChanged } = parts;
  const routes = createRoutes('/codes/:id/design');
  const pages = createPages(parts, flashTexts);
  const form = createDesignForm(parts);
  const ownCode = (ctx: Context) => findCode(db, workspaceIdOf(ctx), String(ctx['params'].id));

  async function showDesigner(ctx: Context, code: QrCode, given: DesignValues, refusal?: Refusal) {
    const stored = await findDesign(db, code.id);
    const styles = await findStyles(db, code.workspaceId);
    const brand = await findBrand(db, code.workspaceId);
    const used = styles.find(({ id }) => id === given['styleId']);
    const isBrand = brand !== undefined && given['styleId'] === brandStart;
    // Without a template that was deleted meanwhile: the logo is that of the code then.
    const values = { ...given, styleId: isBrand ? brandStart : (used?.id ?? '') };
    const { errors = [], error, status = 200 } = refusal ?? {};
    const removed = stored ? undefined : await findRemovedDesign(db, code.id, now());
    const undo = removed && pages.takeFlash(ctx) === 'plain' ? `/codes/${code.id}/design/restore` : undefined;
    const logo = isBrand ? brand.logo : ((used ?? stored)?.design.logo ?? null);
    const isSaved = refusal === undefined && !('preset' in ctx.query || 'styleId' in ctx.query);
    ctx.set('Content-Security-Policy', policyWithBlobs);
    pages.show(
      ctx,
      DesignView,
      {
        code,
        form: { values, errors, error },
        hasDesign: stored !== undefined,
        removedAt: removed?.removedAt,
        ...designerPictures(subjectOfCode(db, code), { styles, brand, values, logo }, config.baseUrl),
        readsAtMm: isSaved ? presentDesign(code, stored, config.baseUrl).readsAtMm : null,
      },
      { status, undo },
    );
  }

  routes.get('editor or demo', '/', async (ctx) => {
    const code = await ownCode(ctx);
    const design = (await findDesign(db, code.id))?.design ?? defaultDesign;
    const chosen = chosenPreset(ctx.query['preset']);
    const { styleId } = ctx.query;
    const values = valuesOfDesign(chosen?.design ?? design, code);
    const start = typeof styleId === 'string' ? await startValues(db, code.workspaceId, styleId, code) : {};
    await showDesigner(ctx, code, { ...values, ...start });
  });

  routes.post('editor', '/', async (ctx) => {
    const code = await ownCode(ctx);
    const values = form.values(ctx);
    const save = async () => {
      await spendForm(ctx, parts);
      const { design, look, newLogo } = await form.read(ctx, subjectOfCode(db, code), values);
      if (look.errorCorrection !== code.errorCorrection)
        requireValid(
          await changedCodeRules(db, code, config)({ errorCorrection: look.errorCorrection }, new Set()),
        );
      const options = { newLogo, changes: look };
      const proven = await proveDesign(proofs, callerOf(ctx), code, design, config.baseUrl, options);
      await saveDesign(db, code, { ...proven, sharesLogo: values['styleId'] !== '' }, now());
      codeChanged(code.shareToken);
      const isRaised = proven.errorCorrection !== look.errorCorrection;
      pages.redirectWithFlash(ctx, `/codes/${code.id}/design`, isRaised ? 'raised' : 'designed');
    };
    await submitDesign(ctx, values, save, (...again) => showDesigner(ctx, code, ...again));
  });

  routes.post('editor', '/style', async (ctx) => {
    const code = await ownCode(ctx);
    const name = normalizeLabel(field(ctx, 'styleName'));
    const values = form.values(ctx);
    const save = async () => {
      requireValid(labelErrors('styleName', name, maxStyleNameLength, 'Enter a name'));
      await spendForm(ctx, parts);
      const { design, look, newLogo } = await form.read(ctx, subjectOfCode(db, code), values);
      await proveStyle(proofs, callerOf(ctx), { design, colors: look }, config.baseUrl, newLogo);
      const { foregroundColor, backgroundColor } = look;
      const style = { name, design, colors: { foregroundColor, backgroundColor }, isDefault: false, newLogo };
      await insertStyle(db, code.workspaceId, style, now());
      redirectWithFlash(ctx, parts, '/codes/styles', 'created' satisfies StylesFlash);
    };
    await submitDesign(ctx, { ...values, styleName: name }, save, (...again) =>
      showDesigner(ctx, code, ...again),
    );
  });

  routes.get('editor', '/delete', async (ctx) => {
    const code = await ownCode(ctx);
    if (!(await findDesign(db, code.id))) return redirect(ctx, `/codes/${code.id}/design`);
    pages.show(ctx, RemoveDesignView, { code });
  });

  routes.post('editor', '/delete', async (ctx) => {
    const code = await ownCode(ctx);
    await removeDesign(db, code, now());
    codeChanged(code.shareToken);
    pages.redirectWithFlash(ctx, `/codes/${code.id}/design`, 'plain');
  });

  /** Proven again: the colors of the code may have changed since. */
  routes.post('editor', '/restore', async (ctx) => {
    const code = await ownCode(ctx);
    const removed = await findRemovedDesign(db, code.id, now());
    if (!removed) {
      const design = (await findDesign(db, code.id))?.design ?? defaultDesign;
      const refusal = { errors: [], error: 'There is no removed design any more.', status: 200 };
      return showDesigner(ctx, code, valuesOfDesign(design, code), refusal);
    }
    const restore = async () => {
      await spendForm(ctx, parts);
      const proven = await proveDesign(proofs, callerOf(ctx), code, removed.design, config.baseUrl);
      await saveDesign(db, code, { ...proven, sharesLogo: true }, now());
      await purgeRemovedDesign(db, code);
      codeChanged(code.shareToken);
      pages.redirectWithFlash(ctx, `/codes/${code.id}/design`, 'restored');
    };
    await submitDesign(ctx, valuesOfDesign(removed.design, code), restore, (...again) =>
      showDesigner(ctx, code, ...again),
    );
  });
  return routes;
}
