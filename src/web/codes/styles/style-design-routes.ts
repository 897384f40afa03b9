import type { Context } from 'koa';
import { changeStyle, findStyle, proveStyle, type Style } from '../../../codes/styles/styles.ts';
import { spendForm } from '../../form-quota.ts';
import { callerOf } from '../../middleware/caller.ts';
import { fileField } from '../../middleware/forms.ts';
import { policyWithBlobs } from '../../middleware/headers.ts';
import { redirectWithFlash } from '../../ui/flash.ts';
import { type PageParts, show, userOf, visitorOf } from '../../ui/page.ts';
import { createDesignForm } from '../design/design-form.ts';
import { chosenPreset, designerPictures } from '../design/design-pictures.ts';
import { type Refusal, refusalOf } from '../design/design-refusal.ts';
import { subjectOfStyle } from '../design/design-subject.ts';
import { type DesignValues, valuesOfDesign } from '../design/design-values.ts';
import { StyleDesignView } from './style-design-view.tsx';
import type { StylesFlash } from './style-texts.ts';
import { createRoutes, type Routes } from '../../routes.ts';

type Shown = Refusal & { values: DesignValues };

/** The page on which an owner changes the design of a style. */
export function styleDesignPages(parts: PageParts): Routes {
  const { db, config, proofs, now } = parts;
  const routes = createRoutes('/codes/styles/:id/design');

  const form = createDesignForm(parts);
  const ownStyle = (ctx: Context) => findStyle(db, userOf(ctx).id, String(ctx['params'].id));

  function showDesigner(ctx: Context, style: Style, { values, errors = [], problem, status }: Shown): void {
    ctx.set('Content-Security-Policy', policyWithBlobs);
    const props = {
      visitor: visitorOf(ctx, parts),
      style,
      form: { values, errors },
      problem,
      ...designerPictures(subjectOfStyle(style), values),
    };
    show(ctx, StyleDesignView, props, status ?? 200);
  }

  routes.get('user', '/', async (ctx) => {
    const style = await ownStyle(ctx);
    const design = chosenPreset(ctx.query['preset'])?.design ?? style.design;
    showDesigner(ctx, style, { values: valuesOfDesign(design, subjectOfStyle(style).look) });
  });

  routes.post('user', '/', async (ctx) => {
    const style = await ownStyle(ctx);
    const values = form.values(ctx);
    try {
      await spendForm(ctx, parts);
      const { design: to, newLogo } = await form.read(ctx, subjectOfStyle(style), values);
      await proveStyle(proofs, callerOf(ctx), to, config.baseUrl, newLogo);
      const design = { from: style.design, to, ...(newLogo && { newLogo }) };
      await changeStyle(db, style.userId, style.id, { design }, now());
    } catch (error) {
      return showDesigner(ctx, style, { values, ...refusalOf(error, fileField(ctx, 'logo') !== undefined) });
    }
    redirectWithFlash(ctx, parts, `/codes/styles/${style.id}`, 'designed' satisfies StylesFlash);
  });
  return routes;
}
