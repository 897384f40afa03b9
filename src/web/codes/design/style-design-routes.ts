import type { Context } from 'koa';
import { findBrand } from '../../../codes/brand.ts';
import { defaultDesign } from '../../../codes/design/design.ts';
import { normalizeLabel } from '../../../codes/label.ts';
import {
  type Style,
  type StyleColors,
  changeStyle,
  exampleCode,
  findStyle,
  insertStyle,
  noColors,
  proveStyle,
} from '../../../codes/styles/styles.ts';
import type { CodeLook } from '../../../codes/design/stored-design.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field } from '../../middleware/forms.ts';
import { policyWithBlobs } from '../../middleware/headers.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import { type Refusal, labelErrors, requireValid, spendForm } from '../../ui/form.ts';
import { createPages, redirectWithFlash } from '../../ui/page.ts';
import { type StylesFlash, maxStyleNameLength } from '../styles/styles-view.tsx';
import {
  type DesignSubject,
  type DesignValues,
  brandStart,
  createDesignForm,
  submitDesign,
  valuesOfDesign,
} from './design-form.ts';
import { chosenPreset, startValues, subjectOfNewStyle, subjectOfStyle } from './design-subject.ts';
import { NewStyleView, StyleDesignView } from './design-view.tsx';
import { designerPictures } from './designer-pictures.ts';

/** The designer of templates, which are designed on an example: existing ones, and new ones from scratch. */
export function styleDesignPages(parts: Services): Routes {
  const { db, config, proofs, now } = parts;
  const routes = createRoutes('/codes/styles');
  const pages = createPages(parts, {});
  const form = createDesignForm(parts);
  const ownStyle = (ctx: Context) => findStyle(db, workspaceIdOf(ctx), String(ctx['params'].id));

  async function picturesOf(subject: DesignSubject, values: DesignValues, stored: string | null) {
    const brand = await findBrand(db, subject.workspaceId);
    const logo = values['styleId'] === brandStart ? (brand?.logo ?? null) : stored;
    return designerPictures(subject, { styles: [], brand, values, logo }, config.baseUrl);
  }

  async function showNew(ctx: Context, values: DesignValues, refusal?: Refusal): Promise<void> {
    const { errors = [], error } = refusal ?? {};
    const pictures = await picturesOf(subjectOfNewStyle(workspaceIdOf(ctx)), values, null);
    ctx.set('Content-Security-Policy', policyWithBlobs);
    pages.show(ctx, NewStyleView, { form: { values, errors, error }, ...pictures }, refusal);
  }

  /** Templates start from the brand, but not from each other. */
  const brandFrom = async (ctx: Context) =>
    ctx.query['styleId'] === brandStart ? startValues(db, workspaceIdOf(ctx), brandStart, exampleCode) : {};

  routes.get('editor or demo', '/new', async (ctx) => {
    const design = chosenPreset(ctx.query['preset'])?.design ?? defaultDesign;
    const start = await brandFrom(ctx);
    await showNew(ctx, { ...valuesOfDesign(design, exampleCode), hasColors: 'on', ...start });
  });

  routes.post('editor', '/new', async (ctx) => {
    const subject = subjectOfNewStyle(workspaceIdOf(ctx));
    const name = normalizeLabel(field(ctx, 'styleName'));
    const values = { ...form.values(ctx), styleName: name };
    const save = async () => {
      requireValid(labelErrors('styleName', name, maxStyleNameLength, 'Enter a name'));
      await spendForm(ctx, parts);
      const { design, look, newLogo } = await form.read(ctx, subject, values);
      const colors = colorsOf(values, look, noColors);
      await proveStyle(proofs, callerOf(ctx), { design, colors }, config.baseUrl, newLogo);
      await insertStyle(db, subject.workspaceId, { name, design, colors, isDefault: false, newLogo }, now());
      redirectWithFlash(ctx, parts, '/codes/styles', 'created' satisfies StylesFlash);
    };
    await submitDesign(ctx, values, save, (...again) => showNew(ctx, ...again));
  });

  async function showStyle(
    ctx: Context,
    style: Style,
    values: DesignValues,
    refusal?: Refusal,
  ): Promise<void> {
    const { errors = [], error } = refusal ?? {};
    const pictures = await picturesOf(subjectOfStyle(style), values, style.design.logo);
    ctx.set('Content-Security-Policy', policyWithBlobs);
    pages.show(ctx, StyleDesignView, { style, form: { values, errors, error }, ...pictures }, refusal);
  }

  routes.get('editor or demo', '/:id/design', async (ctx) => {
    const style = await ownStyle(ctx);
    const design = chosenPreset(ctx.query['preset'])?.design ?? style.design;
    const hasColors = style.foregroundColor === null ? '' : 'on';
    const values = { ...valuesOfDesign(design, subjectOfStyle(style).look), hasColors };
    await showStyle(ctx, style, { ...values, ...(await brandFrom(ctx)) });
  });

  routes.post('editor', '/:id/design', async (ctx) => {
    const style = await ownStyle(ctx);
    const values = form.values(ctx);
    const save = async () => {
      await spendForm(ctx, parts);
      const { design: to, look, newLogo } = await form.read(ctx, subjectOfStyle(style), values);
      const colors = colorsOf(values, look, style);
      await proveStyle(proofs, callerOf(ctx), { design: to, colors }, config.baseUrl, newLogo);
      const design = { from: style.design, to, ...(newLogo && { newLogo }) };
      await changeStyle(db, style.workspaceId, style.id, { design, colors }, now());
      redirectWithFlash(ctx, parts, `/codes/styles/${style.id}`, 'designed' satisfies StylesFlash);
    };
    await submitDesign(ctx, values, save, (...again) => showStyle(ctx, style, ...again));
  });
  return routes;
}

/** Those of the form if its box is checked. A form without colors, from before they were there, keeps the former ones. */
function colorsOf(values: DesignValues, look: CodeLook, former: StyleColors): StyleColors {
  const { foregroundColor, backgroundColor } = values['foregroundColor'] ? look : former;
  return values['foregroundColor'] && values['hasColors'] !== 'on'
    ? noColors
    : { foregroundColor, backgroundColor };
}
