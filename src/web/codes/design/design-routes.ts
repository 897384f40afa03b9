import type { Context } from 'koa';
import { findCode } from '../../../codes/codes.ts';
import { defaultDesign } from '../../../codes/design/design.ts';
import { deleteDesign, findDesign, saveDesign } from '../../../codes/design/stored-design.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import { proveDesign } from '../../../codes/proof/prove-design.ts';
import type { QrCode } from '../../../codes/qr-code.ts';
import { findStyle, findStyles, insertStyle, proveStyle } from '../../../codes/styles/styles.ts';
import { invalid } from '../../../errors.ts';
import { presentDesign } from '../../api/designs.ts';
import { spendForm } from '../../form-quota.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { policyWithBlobs } from '../../middleware/headers.ts';
import { readFlash, redirectWithFlash } from '../../ui/flash.ts';
import { type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { styleNameErrors } from '../styles/style-name.ts';
import type { StylesFlash } from '../styles/style-texts.ts';
import { createDesignForm } from './design-form.ts';
import { chosenPreset, designerPictures } from './design-pictures.ts';
import { type Refusal, refusalOf } from './design-refusal.ts';
import { subjectOfCode } from './design-subject.ts';
import { type DesignValues, valuesOfDesign } from './design-values.ts';
import { DesignView } from './design-view.tsx';
import { createRoutes, type Routes } from '../../routes.ts';

const flashTexts = {
  designed: 'Design saved.',
  raised: 'Design saved. The error correction of the code was raised, because the logo covers modules.',
  plain: 'The design was removed.',
};

type Shown = Refusal & { values: DesignValues };

/** The page on which the owner of a code chooses how it looks. */
export function codeDesignPages(parts: PageParts): Routes {
  const { db, config, proofs, now, codeChanged } = parts;
  const routes = createRoutes('/codes/:id/design');

  const form = createDesignForm(parts);
  const ownCode = (ctx: Context) => findCode(db, userOf(ctx).id, String(ctx['params'].id));

  async function showDesigner(ctx: Context, code: QrCode, { errors = [], problem, status, ...shown }: Shown) {
    const flash = readFlash(ctx, parts, flashTexts);
    const stored = await findDesign(db, code.id);
    const styles = await findStyles(db, code.userId);
    const used = styles.find(({ id }) => id === shown.values['styleId']);
    // Without one that was deleted meanwhile: the logo is that of the code then.
    const values = { ...shown.values, styleId: used?.id ?? '' };
    ctx.set('Content-Security-Policy', policyWithBlobs);
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
        ...designerPictures(subjectOfCode(db, code), values),
      },
      status ?? 200,
    );
  }

  routes.get('user', '/', async (ctx) => {
    const code = await ownCode(ctx);
    const chosen = chosenPreset(ctx.query['preset']);
    const style = typeof ctx.query['styleId'] === 'string' ? ctx.query['styleId'] : undefined;
    const used = style === undefined ? undefined : await findStyle(db, code.userId, style);
    const design = used?.design ?? chosen?.design ?? (await findDesign(db, code.id))?.design ?? defaultDesign;
    const values = { ...valuesOfDesign(design, code), styleId: used?.id ?? '' };
    await showDesigner(ctx, code, { values });
  });

  routes.post('user', '/', async (ctx) => {
    const code = await ownCode(ctx);
    const values = form.values(ctx);
    let flash: keyof typeof flashTexts;
    try {
      await spendForm(ctx, parts);
      const { design, newLogo } = await form.read(ctx, subjectOfCode(db, code), values);
      const proven = await proveDesign(proofs, callerOf(ctx), code, design, config.baseUrl, { newLogo });
      await saveDesign(db, code.id, { ...proven, sharesLogo: values['styleId'] !== '' }, now());
      flash = proven.errorCorrection === code.errorCorrection ? 'designed' : 'raised';
    } catch (error) {
      return showRefusal(ctx, code, values, error);
    }
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}/design`, flash);
  });

  async function showRefusal(ctx: Context, code: QrCode, values: DesignValues, error: unknown) {
    await showDesigner(ctx, code, { values, ...refusalOf(error, fileField(ctx, 'logo') !== undefined) });
  }

  routes.post('user', '/style', async (ctx) => {
    const code = await ownCode(ctx);
    const values = form.values(ctx);
    const name = normalizeLabel(field(ctx, 'styleName'));
    try {
      const errors = styleNameErrors(name, 'styleName');
      if (errors.length > 0) throw invalid(errors);
      await spendForm(ctx, parts);
      const { design, newLogo } = await form.read(ctx, subjectOfCode(db, code), values);
      await proveStyle(proofs, callerOf(ctx), design, config.baseUrl, newLogo);
      await insertStyle(db, code.userId, { name, design, isDefault: false, newLogo }, now());
    } catch (error) {
      return showRefusal(ctx, code, { ...values, styleName: name }, error);
    }
    redirectWithFlash(ctx, parts, '/codes/styles', 'created' satisfies StylesFlash);
  });

  routes.post('user', '/delete', async (ctx) => {
    const code = await ownCode(ctx);
    await deleteDesign(db, code.id, now());
    codeChanged(code.shareToken);
    redirectWithFlash(ctx, parts, `/codes/${code.id}/design`, 'plain' satisfies keyof typeof flashTexts);
  });

  return routes;
}
