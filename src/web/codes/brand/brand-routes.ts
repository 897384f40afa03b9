import type { Context } from 'koa';
import { type Brand, findBrand, saveBrand } from '../../../codes/brand.ts';
import { createDefaults, pageBody, patchBody } from '../../../codes/code-rules.ts';
import { readLogo } from '../../../codes/files/read-upload.ts';
import { defaultDesign } from '../../../codes/design/design.ts';
import { findOwnLogo } from '../../../codes/design/stored-logo.ts';
import { designErrors } from '../../../codes/scannability.ts';
import { compileValidator } from '../../../codes/validation.ts';
import { AppError } from '../../../errors.ts';
import { colors } from '../../../theme.ts';
import { callerOf } from '../../middleware/caller.ts';
import { field, fileField } from '../../middleware/forms.ts';
import { workspaceIdOf } from '../../middleware/session.ts';
import { type Routes, createRoutes } from '../../routes.ts';
import type { Services } from '../../services.ts';
import { type Refusal, refusalOf, requireValid, spendForm } from '../../ui/form.ts';
import { createPages } from '../../ui/page.ts';
import { policyWithBlobs } from '../../middleware/headers.ts';
import { type DesignValues, brandStart, valuesOfDesign } from '../design/design-form.ts';
import { subjectOfNewCode } from '../design/design-subject.ts';
import { designerPictures } from '../design/designer-pictures.ts';
import { BrandView } from './brand-view.tsx';

const flashTexts = { saved: 'Your brand was saved. Designers offer it from now on.' };
const codeErrors = compileValidator(patchBody);
const pageErrors = compileValidator(pageBody);

/** A plain code with the logo of the brand. Its colors are fields of the page. */
const {
  foregroundColor: _foreground,
  backgroundColor: _background,
  ...sampleDesign
}: DesignValues = { ...valuesOfDesign(defaultDesign, createDefaults), styleId: brandStart };

/** The page on which owners store their colors and their logo. */
export function brandPages(parts: Services): Routes {
  const { db, imageDecoder, now } = parts;
  const routes = createRoutes('/codes/brand');
  const pages = createPages(parts, flashTexts);

  async function showBrand(ctx: Context, refused?: Refusal): Promise<void> {
    const brand = await findBrand(db, workspaceIdOf(ctx));
    const { errors = [], error, status = 200 } = refused ?? {};
    const values = refused ? valuesOf(ctx) : storedValues(brand);
    const shown = {
      styles: [],
      brand: undefined,
      values: { ...sampleDesign, ...values },
      logo: brand?.logo ?? null,
    };
    const stage = designerPictures(subjectOfNewCode(workspaceIdOf(ctx)), shown, parts.config.baseUrl);
    ctx.set('Content-Security-Policy', policyWithBlobs);
    pages.show(
      ctx,
      BrandView,
      {
        brand,
        form: { values, errors, error },
        stage: { ...stage, note: 'A sample in your colors, with your logo.', isTried: false },
        hidden: sampleDesign,
      },
      { status },
    );
  }

  routes.get('editor or demo', '/', (ctx) => showBrand(ctx));

  routes.post('editor', '/', async (ctx) => {
    const workspaceId = workspaceIdOf(ctx);
    const { foregroundColor, backgroundColor, ...values } = valuesOf(ctx);
    const pageColor = values.hasPageColor === 'on' ? values.pageColor : null;
    try {
      const look = { foregroundColor, backgroundColor };
      requireValid([
        ...codeErrors(look),
        ...pageErrors({ color: pageColor }).map((error) => ({ ...error, field: 'pageColor' })),
      ]);
      requireValid(
        designErrors(defaultDesign, look).map((error) => ({
          ...error,
          message: error.message.replace(/^of the code /, ''),
        })),
      );
      await spendForm(ctx, parts);
      const file = fileField(ctx, 'logo')?.bytes;
      const newLogo = file && (await readLogo(imageDecoder, callerOf(ctx), workspaceId, file));
      const kept =
        field(ctx, 'removeLogo') === 'on' ? null : ((await findBrand(db, workspaceId))?.logo ?? null);
      await saveBrand(db, workspaceId, { ...look, pageColor, logo: newLogo?.id ?? kept, newLogo }, now());
    } catch (error) {
      // Browsers do not keep the file.
      const again = fileField(ctx, 'logo') ? { again: 'Choose the logo again.' } : {};
      return showBrand(ctx, refusalOf(error, again));
    }
    pages.redirectWithFlash(ctx, '/codes/brand', 'saved');
  });

  // Also those of designs. A logo never changes: its id is a hash of the picture.
  routes.get('viewer or demo', '/logos/:id', async (ctx) => {
    const png = await findOwnLogo(db, workspaceIdOf(ctx), String(ctx['params'].id));
    if (!png) throw new AppError('not_found', 'You have no such logo.');
    ctx.set('Cache-Control', 'private, max-age=31536000, immutable');
    ctx.type = 'image/png';
    ctx.body = png;
  });
  return routes;
}

function valuesOf(ctx: Context) {
  return {
    foregroundColor: field(ctx, 'foregroundColor'),
    backgroundColor: field(ctx, 'backgroundColor'),
    pageColor: field(ctx, 'pageColor'),
    hasPageColor: field(ctx, 'hasPageColor'),
  };
}

function storedValues(brand: Brand | undefined) {
  const { foregroundColor, backgroundColor } = brand ?? createDefaults;
  return {
    foregroundColor,
    backgroundColor,
    pageColor: brand?.pageColor ?? colors.accent[0],
    hasPageColor: brand?.pageColor ? 'on' : '',
  };
}
